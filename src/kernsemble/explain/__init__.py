"""Why, which rows, which columns: functions of honest probabilities, scores and rows."""

"""Time of `import kernsemble` in a new process, beside that of `import sklearn.svm`."""

import subprocess
import sys

from timing import report_ratio


def importing(module):
    return lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True)


def main():
    report_ratio(
        "import_time",
        ours=importing("kernsemble"),
        theirs=importing("sklearn.svm"),
        target="ours_s below 1 s",
    )


if __name__ == "__main__":
    main()

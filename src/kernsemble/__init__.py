"""Ensembles of kernel machines for classification, for scikit-learn."""

__version__ = "0.1.0.dev0"

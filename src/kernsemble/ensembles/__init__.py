"""Ensembles: the named methods that combine members, one file each."""

from .landmark_ridge import LandmarkRidgeClassifier

__all__ = ["LandmarkRidgeClassifier"]

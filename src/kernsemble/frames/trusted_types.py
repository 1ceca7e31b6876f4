"""The types that may be made from a model file, one by one: nothing else is, unless it is named.

A file says of each of its parts by which loader of skops it is made and of which type it is. Both
must be listed here together. Every method that `kernsemble fit` knows needs some of these types,
and no type is listed that none of them needs: `tests/frames/test_trusted_types.py` fits them all
and prints what to add and what to remove.
"""

#: From columns of any kind to numbers: what `make_model` puts before a classifier, in a pipeline.
FEATURE_STEPS = (
    "kernsemble.frames.features.CalendarParts",
    "sklearn.compose._column_transformer.ColumnTransformer",
    "sklearn.impute._base.MissingIndicator",
    "sklearn.impute._base.SimpleImputer",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.preprocessing._encoders.OneHotEncoder",
)

#: The classifiers of this library. Their constructors and `__setstate__` only store.
CLASSIFIERS = (
    "kernsemble.ensembles.co_krr.CoKRRClassifier",
    "kernsemble.ensembles.ed_rvfl.EdRVFLClassifier",
    "kernsemble.ensembles.kernel_ensemble.KernelEnsembleClassifier",
    "kernsemble.ensembles.kernel_pca.KernelPCAEnsembleClassifier",
    "kernsemble.ensembles.landmark_ridge.LandmarkRidgeClassifier",
    "kernsemble.ensembles.mekl_dlp.MEKLDLPClassifier",
    "kernsemble.ensembles.mekl_lpc.MEKLLPCClassifier",
    "kernsemble.ensembles.mpraf.MPRaFClassifier",
    "kernsemble.ensembles.mprrof.MPRRoFClassifier",
    "kernsemble.ensembles.mrskl.MRSKLClassifier",
    "kernsemble.ensembles.multik_mhks.MultiKMHKSClassifier",
    "kernsemble.ensembles.rotation_forest.RotationForestClassifier",
    "kernsemble.ensembles.rpemekl.RPEMEKLClassifier",
    "kernsemble.ensembles.rvfl_ensemble.RVFLEnsembleClassifier",
    "kernsemble.machines.kernel_fda.KernelFDAClassifier",
    "kernsemble.machines.kernel_ridge.KernelRidgeClassifier",
    "kernsemble.machines.kmhks.KMHKSClassifier",
    "kernsemble.machines.oblique_tree.ObliqueTreeClassifier",
    "kernsemble.machines.rvfl.RVFLClassifier",
    "kernsemble.mkl.alignment_mkl.AlignmentMKLClassifier",
    "kernsemble.mkl.average_mkl.AverageMKLClassifier",
    "kernsemble.mkl.easy_mkl.EasyMKLClassifier",
    "kernsemble.mkl.group_lasso_mkl.GroupLassoMKLClassifier",
    "kernsemble.mkl.mkda.MKDAClassifier",
    "kernsemble.mkl.silp_mkl.SILPMKLClassifier",
    "kernsemble.mkl.simple_mkl.SimpleMKLClassifier",
    "kernsemble.mkl.svm2k.SVM2KClassifier",
    "kernsemble.mkl.ufo_mkl.UFOMKLClassifier",
)

#: Kernels: parameters and a formula.
KERNELS = (
    "kernsemble.kernels.base.Scaled",
    "kernsemble.kernels.base.Sum",
    "kernsemble.kernels.derived.Normalized",
    "kernsemble.kernels.dot_product.Linear",
    "kernsemble.kernels.dot_product.Polynomial",
    "kernsemble.kernels.dot_product.Sigmoid",
    "kernsemble.kernels.stationary.Cauchy",
    "kernsemble.kernels.stationary.GeneralizedExponential",
    "kernsemble.kernels.stationary.Laplacian",
    "kernsemble.kernels.stationary.RBF",
)

#: Parts of fitted classifiers that are objects: arrays and how to score rows with them.
PARTS = (
    "kernsemble.ensembles.kernel_ensemble.NamedMember",
    "kernsemble.maps.empirical.EmpiricalKernelMap",
    "kernsemble.members.additive.LinearMember",
    "kernsemble.members.boosted.JoinedMember",
    "kernsemble.members.deep_rvfl.DeepRVFLMember",
    "kernsemble.members.forest.ForestMember",
    "kernsemble.members.kernel_expansion.KernelExpansion",
    "kernsemble.members.plans.LogShares",
    "kernsemble.members.mhks.MHKSMember",
    "kernsemble.members.networks.NetworksMember",
    "kernsemble.members.plans.MeanMember",
    "kernsemble.members.projected.ProjectedMember",
    "kernsemble.members.ridge.RidgeMember",
    "kernsemble.members.rvfl.RVFLMember",
    "kernsemble.members.subset.MemberBank",
    "kernsemble.members.subset.SubsetMember",
    "kernsemble.members.tree.TreeMember",
    "kernsemble.members.viewed.ViewedMember",
)

#: Parts of fitted classifiers that are named tuples.
RECORDS = (
    "kernsemble.calibration.HonestScores",
    "kernsemble.combine.ClassWeighted",
    "kernsemble.combine.Largest",
    "kernsemble.combine.Mean",
    "kernsemble.combine.Pooled",
    "kernsemble.combine.Stacked",
    "kernsemble.combine.Vote",
    "kernsemble.combine.Weighted",
    "kernsemble.ensembles.leaderboard.Standing",
    "kernsemble.ensembles.race.Round",
    "kernsemble.frames.class_shares.ClassShares",
    "kernsemble.frames.codecs.Calendar",
    "kernsemble.frames.codecs.LeftOut",
    "kernsemble.frames.codecs.Levels",
    "kernsemble.frames.codecs.Numbers",
    "kernsemble.frames.encoder.Encoder",
    "kernsemble.frames.text.Text",
    "kernsemble.maps.additive_view.AdditiveView",
    "kernsemble.maps.random_layer.RandomLayer",
    "kernsemble.maps.mixed_views.Corners",
    "kernsemble.maps.mixed_views.MixedView",
    "kernsemble.maps.views.ColumnsView",
    "kernsemble.maps.views.MetricView",
    "kernsemble.maps.views.ProjectedView",
    "kernsemble.maps.views.RankView",
    "kernsemble.maps.views.ScaledView",
    "kernsemble.maps.views.UnchangedView",
    "kernsemble.members.kernel_expansion.KernelPart",
    "kernsemble.members.rvfl_parts.Wiring",
    "kernsemble.members.subset.CollapsedMachine",
    "kernsemble.trees.corrections.Corrections",
    "kernsemble.trees.expected.Expectation",
    "kernsemble.trees.frame.Frame",
    "kernsemble.trees.joined.JoinedTrees",
    "kernsemble.trees.rotation.Rotation",
    "kernsemble.trees.tree.RegressionNodes",
    "kernsemble.trees.tree.Tree",
)

#: Lists with a name.
LISTS = ("kernsemble.ensembles.leaderboard.Leaderboard",)

#: Classifiers of scikit-learn that `kernsemble fit --method` knows, and what they are made of. Some
#: are also the members of our own.
RIVALS = (
    "sklearn._loss.link.Interval",
    "sklearn._loss.link.LogitLink",
    "sklearn._loss.link.MultinomialLogit",
    "sklearn._loss.loss.HalfBinomialLoss",
    "sklearn._loss.loss.HalfMultinomialLoss",
    "sklearn.dummy.DummyClassifier",
    "sklearn.ensemble._bagging.BaggingClassifier",
    "sklearn.ensemble._forest.ExtraTreesClassifier",
    "sklearn.ensemble._forest.RandomForestClassifier",
    "sklearn.ensemble._gb.GradientBoostingClassifier",
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.ensemble._weight_boosting.AdaBoostClassifier",
    "sklearn.linear_model._logistic.LogisticRegression",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._classification.KNeighborsClassifier",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.preprocessing._label.LabelEncoder",
    "sklearn.svm._classes.SVC",
    "sklearn.tree._classes.DecisionTreeClassifier",
    "sklearn.tree._classes.DecisionTreeRegressor",
    "sklearn.tree._classes.ExtraTreeClassifier",
)

#: Loader of skops → full names of the types that it may make. Loaders that are not named here
#: (functions, methods, partial functions, operators, calls of constructors …) make nothing.
TRUSTED: dict[str, frozenset[str]] = {
    # Plain values: JSON texts of numbers, texts, truth values and None.
    "JsonNode": frozenset({"builtins.str"}),
    "SliceNode": frozenset({"builtins.slice"}),
    # Containers of other parts.
    "DictNode": frozenset({"builtins.dict"}),
    "ListNode": frozenset({"builtins.list", *LISTS}),
    "TupleNode": frozenset({"builtins.tuple", *RECORDS}),
    # Arrays and NumPy's scalars, read from .npy files without pickle, and their types.
    "NdArrayNode": frozenset({"numpy.float64", "numpy.int64", "numpy.ndarray", "numpy.uint64"}),
    "DTypeNode": frozenset({"numpy.dtype"}),
    # The types of a dictionary's keys, and the type of an encoder's output.
    "TypeNode": frozenset({"builtins.str", "numpy.float64"}),
    # Generators that fitting left behind; nothing draws from them again.
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    # Objects, made without their constructor and filled with their attributes.
    "ObjectNode": frozenset({*FEATURE_STEPS, *CLASSIFIERS, *KERNELS, *PARTS, *RIVALS}),
    # Compiled parts of scikit-learn, with a constructor that skops knows. Older versions of
    # scikit-learn name their module `_loss`.
    "LossNode": frozenset(
        f"{module}.{name}"
        for module in ("sklearn._loss._loss", "_loss")
        for name in ("CyHalfBinomialLoss", "CyHalfMultinomialLoss")
    ),
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
}

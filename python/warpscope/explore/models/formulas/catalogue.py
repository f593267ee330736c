"""The models, by name."""
from warpscope.explore.models.formulas import dasgupta, gpuperf, hong_kim, roofline, sgemm, spt

MODELS = {module.NAME: module for module in (hong_kim, dasgupta, gpuperf, spt, roofline, sgemm)}

OF_LAUNCHES = tuple(name for name in MODELS if name != "sgemm")  # whose inputs a capture has
OF_PRESETS = ("roofline", "sgemm")  # whose machine inputs every GPU preset has


def inputs_for(model, given):
    """The inputs that a model takes when those of `given` (names to Values) are there."""
    module = MODELS[model]
    return module.inputs_for(given) if hasattr(module, "inputs_for") else list(module.INPUTS)

"""Predicts times of operators under the names of the external tool estimate-train-time."""
from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

from .arguments import Name, Path, Size, checked
from .measuring import predict


class Predictor:
    """Predicts the times of operators from samples of other shapes (`kjoule predict operator`)."""

    def __init__(self) -> None:
        self.operator_dict: dict[Any, Any] = {}
        """Predictions of predict_operator() that were made with this dictionary as model_dict."""

    @checked
    def predict_operator(self, gpu_name: Name, function: Name, precision: Name, propagation: Name, shape: Sequence[Size],
                         model_dict: MutableMapping[Any, Any] | None = None, config_folder: Path | None = None,
                         data_folder: Path | None = None, models_folder: Path | None = None) -> float:
        """Returns the predicted time of an operator, in us. Raises Error if there are no samples of it.

        gpu_name: name of the GPU, as in the names of the tables; function: name of the operator; precision: fp16, bf16 or fp32.
        propagation: fwd, bwd, or dur (optimizers); shape: one number for each size column of the operator's table.
        model_dict: dictionary that keeps predictions (reports.PredictOperator), so that a repeated one is not made again.
        config_folder: is accepted and not used, because kjoule's models need no hyperparameters.
        data_folder: folder of tables; default: the bundled ones of the GPU. models_folder: folder for trained models.
        """
        key = (gpu_name, function, precision, propagation, tuple(shape), str(data_folder), str(models_folder))
        kept = {} if model_dict is None else model_dict
        if key not in kept:
            kept[key] = predict(gpu_name, function, precision, propagation, shape, data=data_folder, models=models_folder)
        return float(kept[key].predicted_us)

"""The reports of kjoule as frozen dataclasses. tools/python_reports makes this file from docs/reference/schemas; do not edit it.

A field that only some forms of a report have is None in the others. A field whose name is a word of Python ends with _ (from_).
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from .report import Report


@dataclass(frozen=True)
class PredictStepStagePowerLimited:
    unlimited_w: float
    """Mean power of one GPU during the stage's work, without a power limit. Unit: W."""
    times_as_long: float
    """Time of the stage with the limit / time without it. Unit: 1 (a factor)."""


@dataclass(frozen=True)
class PredictStepStage:
    layers: int
    """Number of layers of the stage. Unit: layers."""
    parameters: float
    """Number of parameters of one rank. Unit: parameters."""
    forward_us: float
    """Time of the forward pass of one micro-batch. Unit: us."""
    backward_us: float
    """Time of the backward pass of one micro-batch. Unit: us."""
    update_us: float
    """Time of the update, which is made once a step: reduction of gradients, optimizer, gathering of parameters.
    Unit: us."""
    power_limited: PredictStepStagePowerLimited | None
    """Slowdown of the stage by the power limit; null if the stage stays below the limit."""


@dataclass(frozen=True)
class PredictStepTerm:
    name: str
    """Name of the operator or collective."""
    input: tuple[float, ...]
    """Sizes of the operator or collective. Unit: none, each."""
    features: tuple[float, ...]
    """Values of the regression model's features. Unit: none, each."""
    predicted_us: float
    """Predicted time of one call. Unit: us."""
    interval_90_us: tuple[float, float] | None
    """90 % interval of predicted_us. As [low, high]; null if it is not available. Unit: us."""
    predicted_joules: float | None
    """Predicted energy of one call; null if no energy was sampled. Unit: J."""
    interval_90_joules: tuple[float, float] | None
    """90 % interval of predicted_joules. As [low, high]; null if it is not available. Unit: J."""
    outside_sampled_range: tuple[str, ...]
    """Sizes that are outside the range in which time was sampled, one line each."""
    energy_outside_sampled_range: tuple[str, ...] | None = None
    """Sizes that are outside the range in which energy was sampled, one line each; absent if no energy was sampled."""


@dataclass(frozen=True)
class PredictStep(Report):
    """Predicted time and energy of one optimizer step of a training run."""
    _rows: ClassVar[str | None] = "terms"
    configuration: str
    """Name or path of the training configuration."""
    composition: Literal['corrected', 'reference']
    """Method by which terms are composed to a step: kjoule's (corrected), or that of estimate-train-time (reference,
    --reference)."""
    schedule: Literal['gpipe', '1f1b', 'reference']
    """Schedule of the micro-batches in the pipeline."""
    terms: tuple[PredictStepTerm, ...]
    """Operators and collectives of which the step consists."""
    stages: tuple[PredictStepStage, ...]
    """Pipeline stages, in order; times and energies are those of one rank."""
    pipeline_us: float
    """Time from the begin of the first forward pass to the end of the last backward pass. Unit: us."""
    update_us: float
    """Time of the update of the parameters. Unit: us."""
    total_us: float
    """Time of the step: pipeline_us + update_us. Unit: us."""
    total_ms: float
    """Time of the step. Unit: ms."""
    total_s: float
    """Time of the step. Unit: s."""
    total_joules: float | None
    """Energy of all GPUs while they work, without the time in which they wait; null if a term has no energy. Unit:
    J."""
    without_energy: tuple[str, ...]
    """Names of the terms without a predicted energy."""


@dataclass(frozen=True)
class PredictOperatorTransfer:
    gpu_like: str
    """Name of the GPU whose tables were used."""
    rows: int
    """Number of rows of the GPU to which the scales were fitted; 0: the scales are the ratios of the peak rates.
    Unit: rows."""
    launch_scale: float
    """Factor of the fixed cost. Unit: none."""
    arithmetic_scale: float
    """Factor of the cost of FLOPs. Unit: none."""
    memory_scale: float
    """Factor of the cost of elements. Unit: none."""
    correction_share: float
    """Share of the other model's correction of its roofline that is used. Unit: none."""
    left_out_error_percent: float | None
    """Mean of |predicted - measured| / measured of the rows, each predicted without itself; null without rows. Unit:
    %."""


@dataclass(frozen=True)
class PredictOperatorEnergyModel:
    outside_sampled_range: tuple[str, ...]
    """Sizes that are outside the range in which energy was sampled, one line each."""
    method: str
    """Regression method of the energy model."""
    rows: int
    """Number of samples on which the energy model was trained. Unit: samples."""
    cross_validation_error_percent: float
    """Mean of |predicted - measured| / measured in four-fold cross-validation of the energy model. Unit: %."""
    largest_fifth_error_percent: float
    """Mean of |predicted - measured| / measured on the fifth of the samples with the most work, which was not used
    for training. Unit: %."""
    noise_percent: float | None
    """Mean error that no energy model can be below, because rows of the same work scatter; null if fewer than 10
    rows have the work of another row. Unit: %."""


@dataclass(frozen=True)
class PredictOperator(Report):
    """Predicted time and energy of one operator."""
    _rows: ClassVar[str | None] = None
    gpu: str
    """Name of the GPU on which the operator was sampled."""
    operator: str
    """Name of the operator."""
    precision: Literal['fp16', 'bf16', 'fp32']
    """Data type of the operator's tensors."""
    direction: Literal['forward', 'backward', 'step']
    """Direction of the operator: forward, backward, or step (optimizers)."""
    shape: tuple[float, ...]
    """Sizes of the operator, one for each size column of the sampled table. Unit: none, each."""
    features: tuple[float, ...]
    """Values of the regression model's features for this shape. Unit: none, each."""
    predicted_us: float
    """Predicted time of one call. Unit: us."""
    interval_90_us: tuple[float, float]
    """90 % interval of predicted_us. As [low, high]. Unit: us."""
    predicted_joules: float | None
    """Predicted energy of one call; null if no energy was sampled. Unit: J."""
    interval_90_joules: tuple[float, float] | None
    """90 % interval of predicted_joules. As [low, high]; null if it is not available. Unit: J."""
    outside_sampled_range: tuple[str, ...]
    """Sizes that are outside the sampled range, one line each."""
    method: str
    """Regression method of the time model: roofline, roofline and boosting, or for collectives with few rows latency
    and bandwidth between measured sizes."""
    rows: int
    """Number of samples on which the time model was trained. Unit: samples."""
    cross_validation_error_percent: float
    """Mean of |predicted - measured| / measured in four-fold cross-validation of the time model; for collectives
    with few rows, of each size that is left out. Unit: %."""
    largest_fifth_error_percent: float
    """Mean of |predicted - measured| / measured on the fifth of the samples with the most work, which was not used
    for training. Unit: %."""
    noise_percent: float | None
    """Mean error that no time model can be below, because rows of the same work scatter; null if fewer than 10 rows
    have the work of another row. Unit: %."""
    energy_model: PredictOperatorEnergyModel | None
    """The model of energy; null if no energy was sampled."""
    transfer: PredictOperatorTransfer | None
    """How the prediction follows from the tables of another GPU (--gpu-like); null if the tables are those of the
    GPU. Method, rows and errors of the report are then those of the other GPU's model."""


@dataclass(frozen=True)
class GpuEnergyReportKernel:
    """A kernel of isolated_kernels_timing.json."""
    name: str
    """Name of the kernel."""
    short_name: str
    """Short name of the kernel, at most 60 bytes; different from those of the other kernels in this report."""
    tier: Literal[1, 2, 3, 'unknown']
    """Origin of the kernel."""
    count: int
    """Launches of the kernel in one iteration. Unit: launches."""
    measured: bool
    """Whether the kernel's energy was measured."""
    start_timestamp: str
    """Begin of the kernel's window, as the timing file states it; empty if the kernel was not replayed."""
    end_timestamp: str
    """End of the kernel's window, as the timing file states it; empty if the kernel was not replayed."""
    window_seconds: float
    """Length of the window. Unit: s."""
    num_power_samples: int
    """Number of the log's readings inside the window. Unit: readings."""
    benchmark_runs: int | None
    """Number of launches in the window; null if the kernel was not replayed. Unit: launches."""
    silent_seconds: float | None
    """Sum of the lengths of all gaps in the log; null if the log does not cover the window. Unit: s."""
    bridged_seconds: float | None
    """Time at both ends of the window that the log does not reach, for which its first or last reading was used; the
    interval contains the energy of this time; null if there is no energy. Unit: s."""
    busy_share_percent: float | None
    """Share of the window in which the kernel's launches ran; null if unknown or if there is no energy. Unit: %."""
    average_watts: float | None
    """Mean power in the window; if the energy is a difference of iterations, mean power of the launches; null if
    there is no energy. Unit: W."""
    energy_joules_each: float | None
    """Energy of one launch; null if it was not measured. Unit: J."""
    energy_joules_each_interval: tuple[float | None, float | None] | None
    """95 % interval of energy_joules_each. As [low, high]; an end is null if it is infinite. Unit: J."""
    energy_joules_total: float | None
    """Energy of one launch x count; null if it was not measured. Unit: J."""
    energy_joules_total_interval: tuple[float | None, float | None] | None
    """95 % interval of energy_joules_total. As [low, high]; an end is null if it is infinite. Unit: J."""
    energy_in_context_joules_total: float | None
    """Energy of all launches in one iteration: power in the block x time in context; null if either is missing.
    Unit: J."""
    energy_in_context_joules_total_interval: tuple[float | None, float | None] | None
    """95 % interval of energy_in_context_joules_total. As [low, high]; an end is null if it is infinite. Unit: J."""
    group: str | None
    """Name of the group of kernels with which the energy was measured and then divided in proportion to time; null
    if the kernel has a block of its own. Window, readings and gaps are then those of a block of the group."""
    flags: tuple[Literal['few samples', 'frozen', 'gaps'], ...]
    """Reasons to doubt the energy, as keywords."""
    signature: str
    """Signature of the kernel; empty if the timing file states none."""
    energy_above_idle_joules_each: float | None = None
    """Energy of one launch above idle power; present only with --idle. Unit: J."""
    energy_above_idle_joules_total: float | None = None
    """Energy of one launch above idle power x count; present only with --idle. Unit: J."""
    missing: str | None = None
    """Reason why there is no energy."""


@dataclass(frozen=True)
class GpuEnergyReportInContext:
    """Energies in context of sum and whole, of one iteration."""
    predicted_joules: float
    """Sum of all kernels' energies in context. Unit: J."""
    predicted_interval_joules: tuple[float | None, float | None]
    """95 % interval of predicted_joules. As [low, high]. Unit: J."""
    whole_joules: float
    """Energy of the whole. Unit: J."""
    whole_interval_joules: tuple[float | None, float | None]
    """95 % interval of whole_joules. As [low, high]. Unit: J."""
    error_signed_percent: float
    """Sum - whole, with sign, as a share of the whole. Unit: %."""
    agrees: bool
    """Whether the 95 % interval of the difference between sum and whole contains 0."""
    from_: str
    """Values from which both energies were computed."""


@dataclass(frozen=True)
class GpuEnergyReportComparison:
    """Comparison of the sum over kernels with the whole."""
    full_model_joules_per_run: float | None
    """Energy of the whole, one iteration; null if it is not available. Unit: J."""
    full_model_interval_joules: tuple[float | None, float | None] | None
    """95 % interval of full_model_joules_per_run. As [low, high]; an end is null if it is infinite. Unit: J."""
    predicted_joules_per_run: float | None
    """Sum of the measured kernels' energies in one iteration; null if it is not available. Unit: J."""
    predicted_interval_joules: tuple[float | None, float | None] | None
    """95 % interval of predicted_joules_per_run. As [low, high]; an end is null if it is infinite. Unit: J."""
    predicted_from: str
    """Values from which the sum was computed."""
    complete: bool
    """Whether the energy of every kernel was measured."""
    measured_time_percent: float | None
    """Share of all kernels' time in isolation that belongs to kernels with a measured energy; null if a kernel has
    no time. Unit: %."""
    error_joules: float | None
    """Sum - whole, with sign; null if either is missing. Unit: J."""
    error_percent: float | None
    """|sum - whole| as a share of the whole, without sign; null if either is missing. Unit: %."""
    error_signed_percent: float | None
    """Sum - whole, with sign, as a share of the whole; null if either is missing. Unit: %."""
    in_context: GpuEnergyReportInContext | None
    """Comparison of sum and whole in context: for both, power in the log x time in context; null unless kjoule
    compare measured the blocks for a power meter."""


@dataclass(frozen=True)
class GpuEnergyReportKernelSum:
    """Energy of the measured kernels in one iteration, added up."""
    kernels: int
    """Number of all kernels. Unit: kernels."""
    measured: int
    """Number of kernels with a measured energy. Unit: kernels."""
    unmeasured: int
    """Number of kernels without a measured energy. Unit: kernels."""
    flagged: int
    """Number of measured kernels that have flags. Unit: kernels."""
    measured_time_percent: float | None
    """Share of all kernels' time in isolation that belongs to kernels with a measured energy; null if a kernel has
    no time. Unit: %."""
    measured_energy_joules: float | None
    """Energy of the measured kernels in one iteration; null if it is not available. Unit: J."""
    measured_energy_interval_joules: tuple[float | None, float | None] | None
    """95 % interval of measured_energy_joules. As [low, high]; an end is null if it is infinite. Unit: J."""


@dataclass(frozen=True)
class GpuEnergyReportIsolatedKernelsTierBreakdown:
    """Energy of the measured kernels by tier."""
    tier1_cuda_runtime: GpuEnergyReportKernelSum
    """Kernels of the CUDA runtime."""
    tier2_cublas: GpuEnergyReportKernelSum
    """Kernels of vendor libraries."""
    tier3_libtorch: GpuEnergyReportKernelSum
    """Kernels of the framework."""
    unknown: GpuEnergyReportKernelSum
    """Kernels of unknown origin."""


@dataclass(frozen=True)
class GpuEnergyReportIsolatedKernels:
    """Energy of all measured kernels, each repeated back to back."""
    kernels: int
    """Number of all kernels. Unit: kernels."""
    measured: int
    """Number of kernels with a measured energy. Unit: kernels."""
    unmeasured: int
    """Number of kernels without a measured energy. Unit: kernels."""
    flagged: int
    """Number of measured kernels that have flags. Unit: kernels."""
    measured_time_percent: float | None
    """Share of all kernels' time in isolation that belongs to kernels with a measured energy; null if a kernel has
    no time. Unit: %."""
    measured_energy_joules: float | None
    """Energy of the measured kernels in one iteration; null if it is not available. Unit: J."""
    measured_energy_interval_joules: tuple[float | None, float | None] | None
    """95 % interval of measured_energy_joules. As [low, high]; an end is null if it is infinite. Unit: J."""
    tier_breakdown: GpuEnergyReportIsolatedKernelsTierBreakdown
    """Energy of the measured kernels by tier."""


@dataclass(frozen=True)
class EnergyReportWholeGap:
    start_timestamp: str
    """Time of the last reading before the gap, in the log's local time."""
    end_timestamp: str
    """Time of the first reading after the gap, in the log's local time."""
    seconds: float
    """Length of the gap. Unit: s."""


@dataclass(frozen=True)
class EnergyReportWholeEnergyAboveIdleJoules:
    """Energy above idle power, in joules; present only with --idle; its values are null if the log gives no energy."""
    total: float | None
    """Energy above idle power of all repeats of the work. Unit: J."""
    per_run: float | None
    """Energy above idle power of one repeat of the work. Unit: J."""
    total_interval: tuple[float | None, float | None] | None
    """95 % interval of total. As [low, high]; an end is null if it is infinite. Unit: J."""
    per_run_interval: tuple[float | None, float | None] | None
    """95 % interval of per_run. As [low, high]; an end is null if it is infinite. Unit: J."""
    half_width_percent: float | None
    """Half-width of total_interval, as a share of total. Unit: %."""


@dataclass(frozen=True)
class EnergyReportWholeEnergyWh:
    """Energy in watt-hours; its values are null if the log gives no energy."""
    total: float | None
    """Energy of all repeats of the work. Unit: Wh."""
    per_run: float | None
    """Energy of one repeat of the work. Unit: Wh."""


@dataclass(frozen=True)
class EnergyReportWholeEnergyJoules:
    """Energy in joules; its values are null if the log gives no energy."""
    total: float | None
    """Energy of all repeats of the work. Unit: J."""
    per_run: float | None
    """Energy of one repeat of the work. Unit: J."""
    total_interval: tuple[float | None, float | None] | None
    """95 % interval of total. As [low, high]; an end is null if it is infinite. Unit: J."""
    per_run_interval: tuple[float | None, float | None] | None
    """95 % interval of per_run. As [low, high]; an end is null if it is infinite. Unit: J."""
    half_width_percent: float | None
    """Half-width of total_interval, as a share of total. Unit: %."""


@dataclass(frozen=True)
class EnergyReportWholePowerWatts:
    """Power in the window; its values are null if the log gives no energy."""
    average: float | None
    """Mean power: energy / length of the window. Unit: W."""
    peak: float | None
    """Largest reading. Unit: W."""
    min: float | None
    """Smallest reading. Unit: W."""


@dataclass(frozen=True)
class EnergyReportWhole:
    """Energy of the work in one time window."""
    duration_seconds: float
    """Length of the window. Unit: s."""
    num_power_samples: int
    """Number of the log's readings inside the window. Unit: readings."""
    num_runs: int | None
    """Number of repeats of the work inside the window; null if unknown. Unit: runs."""
    power_watts: EnergyReportWholePowerWatts
    """Power in the window; its values are null if the log gives no energy."""
    energy_joules: EnergyReportWholeEnergyJoules
    """Energy in joules; its values are null if the log gives no energy."""
    energy_wh: EnergyReportWholeEnergyWh
    """Energy in watt-hours; its values are null if the log gives no energy."""
    start_timestamp: str
    """Begin of the window, as the timing file states it."""
    end_timestamp: str
    """End of the window, as the timing file states it."""
    flags: tuple[Literal['few samples', 'frozen', 'gaps'], ...]
    """Reasons to doubt the energy, as keywords."""
    gaps: tuple[EnergyReportWholeGap, ...]
    """Times in the window without readings."""
    silent_seconds: float | None
    """Sum of the lengths of all gaps; null if the log does not cover the window. Unit: s."""
    bridged_seconds: float | None
    """Time at both ends of the window that the log does not reach, for which its first or last reading was used; the
    interval contains the energy of this time; null if there is no energy. Unit: s."""
    energy_above_idle_joules: EnergyReportWholeEnergyAboveIdleJoules | None = None
    """Energy above idle power, in joules; present only with --idle; its values are null if the log gives no energy."""
    missing: str | None = None
    """Reason why there is no energy."""


@dataclass(frozen=True)
class GpuEnergyReport(Report):
    """Energies of each kernel and of the whole from a power log, and the sum compared with the whole. kjoule energy
    writes this file if kernels were timed; so do the commands that log a power meter themselves."""
    _rows: ClassVar[str | None] = "per_kernel"
    full_model: EnergyReportWhole | None
    """Energy of the whole, as in energy_report.json; null if the whole was not timed."""
    isolated_kernels: GpuEnergyReportIsolatedKernels
    """Energy of all measured kernels, each repeated back to back."""
    comparison: GpuEnergyReportComparison
    """Comparison of the sum over kernels with the whole."""
    per_kernel: tuple[GpuEnergyReportKernel, ...]
    """All kernels in the order of the timing file."""
    source: EnergyReportSource
    """Power log and method from which the energies were computed."""
    timing: str
    """Path of the timing file that states the windows."""
    warnings: tuple[str, ...]
    """Warnings about the power log and the timing file, one line each."""


@dataclass(frozen=True)
class EnergyReportSource:
    """Power log and method from which the energies were computed."""
    power_log: str
    """Path of the power log."""
    format: Literal['wattsup', 'gpu', 'nvidia-smi', 'amd-smi', 'nvidia-smi-dmon', 'dcgmi', 'tegrastats', 'ptdaemon', 'turbostat', 'csv']
    """Format of the power log."""
    series: tuple[str, ...]
    """Names of the log's series whose powers are added up."""
    scope: str
    """Part of the machine whose power the log contains."""
    method: str
    """Method by which power was integrated to energy."""
    resolution_seconds: float
    """Median time between two readings. Unit: s."""
    averaging_seconds: float
    """Time over which one reading of the meter averages; if it is not known, the time between readings. Unit: s."""
    averaging_from: str
    """Who states averaging_seconds."""
    delay_seconds: float
    """Time by which a reading may be older than its timestamp, in addition to its averaging time. Unit: s."""
    power_step_watts: float | None
    """Smallest difference between two readings that the log can show; null if it is not available. Unit: W."""
    offset_seconds: float
    """Clock offset that was added to the log's times. Unit: s."""
    offset_interval_seconds: tuple[float | None, float | None] | None
    """95 % interval of offset_seconds, found by a load pattern; null if no load pattern was run or found. As [low,
    high]. Unit: s."""
    idle_watts: float | None
    """Idle power (--idle); null if none was given. Unit: W."""
    interval: str
    """Errors that the intervals contain."""
    accuracy_percent: float | None
    """Systematic error of the meter, which all energies share; the intervals do not contain it; null if unknown.
    Unit: %."""
    accuracy_from: str
    """Who states accuracy_percent; empty if it is unknown."""
    calibration: Calibration | None
    """Gain and offset of the meter by kjoule power calibrate; energies are not corrected by them. Null if the meter
    was not calibrated, or if it is unknown because another program wrote the log."""
    idle_interval_watts: tuple[float | None, float | None] | None = None
    """95 % interval of idle_watts. As [low, high]; an end is null if it is infinite. Unit: W."""
    idle_from: str | None = None
    """Origin of the idle power: "given", or the window of the log over which it was averaged."""


@dataclass(frozen=True)
class EnergyReportGap:
    start_timestamp: str
    """Time of the last reading before the gap, in the log's local time."""
    end_timestamp: str
    """Time of the first reading after the gap, in the log's local time."""
    seconds: float
    """Length of the gap. Unit: s."""


@dataclass(frozen=True)
class EnergyReportEnergyAboveIdleJoules:
    """Energy above idle power, in joules; present only with --idle; its values are null if the log gives no energy."""
    total: float | None
    """Energy above idle power of all repeats of the work. Unit: J."""
    per_run: float | None
    """Energy above idle power of one repeat of the work. Unit: J."""
    total_interval: tuple[float | None, float | None] | None
    """95 % interval of total. As [low, high]; an end is null if it is infinite. Unit: J."""
    per_run_interval: tuple[float | None, float | None] | None
    """95 % interval of per_run. As [low, high]; an end is null if it is infinite. Unit: J."""
    half_width_percent: float | None
    """Half-width of total_interval, as a share of total. Unit: %."""


@dataclass(frozen=True)
class EnergyReportEnergyWh:
    """Energy in watt-hours; its values are null if the log gives no energy."""
    total: float | None
    """Energy of all repeats of the work. Unit: Wh."""
    per_run: float | None
    """Energy of one repeat of the work. Unit: Wh."""


@dataclass(frozen=True)
class EnergyReportEnergyJoules:
    """Energy in joules; its values are null if the log gives no energy."""
    total: float | None
    """Energy of all repeats of the work. Unit: J."""
    per_run: float | None
    """Energy of one repeat of the work. Unit: J."""
    total_interval: tuple[float | None, float | None] | None
    """95 % interval of total. As [low, high]; an end is null if it is infinite. Unit: J."""
    per_run_interval: tuple[float | None, float | None] | None
    """95 % interval of per_run. As [low, high]; an end is null if it is infinite. Unit: J."""
    half_width_percent: float | None
    """Half-width of total_interval, as a share of total. Unit: %."""


@dataclass(frozen=True)
class EnergyReportPowerWatts:
    """Power in the window; its values are null if the log gives no energy."""
    average: float | None
    """Mean power: energy / length of the window. Unit: W."""
    peak: float | None
    """Largest reading. Unit: W."""
    min: float | None
    """Smallest reading. Unit: W."""


@dataclass(frozen=True)
class EnergyReport(Report):
    """Energy of the whole, integrated over a power log in the time window of full_model_timing.json. kjoule energy
    writes this file."""
    _rows: ClassVar[str | None] = None
    duration_seconds: float
    """Length of the window. Unit: s."""
    num_power_samples: int
    """Number of the log's readings inside the window. Unit: readings."""
    num_runs: int | None
    """Number of repeats of the work inside the window; null if unknown. Unit: runs."""
    power_watts: EnergyReportPowerWatts
    """Power in the window; its values are null if the log gives no energy."""
    energy_joules: EnergyReportEnergyJoules
    """Energy in joules; its values are null if the log gives no energy."""
    energy_wh: EnergyReportEnergyWh
    """Energy in watt-hours; its values are null if the log gives no energy."""
    start_timestamp: str
    """Begin of the window, as the timing file states it."""
    end_timestamp: str
    """End of the window, as the timing file states it."""
    flags: tuple[Literal['few samples', 'frozen', 'gaps'], ...]
    """Reasons to doubt the energy, as keywords."""
    gaps: tuple[EnergyReportGap, ...]
    """Times in the window without readings."""
    silent_seconds: float | None
    """Sum of the lengths of all gaps; null if the log does not cover the window. Unit: s."""
    bridged_seconds: float | None
    """Time at both ends of the window that the log does not reach, for which its first or last reading was used; the
    interval contains the energy of this time; null if there is no energy. Unit: s."""
    source: EnergyReportSource
    """Power log and method from which the energies were computed."""
    timing: str
    """Path of the timing file that states the window."""
    warnings: tuple[str, ...]
    """Warnings about the power log and the timing file, one line each."""
    energy_above_idle_joules: EnergyReportEnergyAboveIdleJoules | None = None
    """Energy above idle power, in joules; present only with --idle; its values are null if the log gives no energy."""
    missing: str | None = None
    """Reason why there is no energy."""


@dataclass(frozen=True)
class DifferencePart:
    """A layer of a network, or an NVTX range of an iteration."""
    name: str
    """Name of the layer, or path of the range, such as step/attention."""
    count_before: int
    """Number of layers with this name, or of launches in the range, in the earlier measurement; 0 if there is none.
    Unit: layers or launches."""
    count_after: int
    """Number of layers with this name, or of launches in the range, in the later measurement; 0 if there is none.
    Unit: layers or launches."""
    time_us: DifferenceTime | None
    """Time of all these layers, or of all launches in the range."""
    energy_mj: DifferenceEnergy | None
    """Energy of all these layers, or of all launches in the range."""


@dataclass(frozen=True)
class DifferenceIterationKernelAfter:
    name: str
    """Full name of the kernel."""
    count: int
    """Launches in one iteration. Unit: launches."""


@dataclass(frozen=True)
class DifferenceIterationKernelBefore:
    name: str
    """Full name of the kernel."""
    count: int
    """Launches in one iteration. Unit: launches."""


@dataclass(frozen=True)
class DifferenceIterationKernel:
    kind: Literal['same', 'other form', 'added', 'removed', 'fused', 'split', 'replaced']
    """Kind of change of a kernel. same: none; other form: the same name with another grid, shape or argument; added,
    removed: launches in only one iteration; fused: fewer launches than before; split: more launches; replaced: as
    many launches of other kernels."""
    before: tuple[DifferenceIterationKernelBefore, ...]
    """Kernels of the earlier iteration, each with its number of launches to which the entry applies."""
    after: tuple[DifferenceIterationKernelAfter, ...]
    """Kernels of the later iteration, each with its number of launches to which the entry applies."""
    occurrences: int
    """Number of places of the iteration at which this change occurs. Unit: places."""
    time_us: DifferenceTime | None
    """Time of all these launches in one iteration."""
    energy_mj: DifferenceEnergy | None
    """Energy of all these launches in one iteration."""


@dataclass(frozen=True)
class DifferencePower:
    before: float | None
    """Value of the earlier measurement. Unit: W."""
    before_half_width: float | None
    """Half-width of the 95 % interval of `before`. Unit: W."""
    after: float | None
    """Value of the later measurement. Unit: W."""
    after_half_width: float | None
    """Half-width of the 95 % interval of `after`. Unit: W."""
    change: float | None
    """Change: after - before. Unit: W."""
    change_half_width: float | None
    """Half-width of the 95 % interval of `change`: both half-widths plus the half-width between starts. Unit: W."""
    change_percent: float | None
    """Change in % of the earlier value. Unit: %."""
    change_half_width_percent: float | None
    """`change_half_width` in % of the earlier value. Unit: %."""
    changed: bool
    """Whether the 95 % interval of `change` excludes 0."""


@dataclass(frozen=True)
class DifferenceEnergy:
    before: float | None
    """Value of the earlier measurement. Unit: mJ."""
    before_half_width: float | None
    """Half-width of the 95 % interval of `before`. Unit: mJ."""
    after: float | None
    """Value of the later measurement. Unit: mJ."""
    after_half_width: float | None
    """Half-width of the 95 % interval of `after`. Unit: mJ."""
    change: float | None
    """Change: after - before. Unit: mJ."""
    change_half_width: float | None
    """Half-width of the 95 % interval of `change`: both half-widths plus the half-width between starts. Unit: mJ."""
    change_percent: float | None
    """Change in % of the earlier value. Unit: %."""
    change_half_width_percent: float | None
    """`change_half_width` in % of the earlier value. Unit: %."""
    changed: bool
    """Whether the 95 % interval of `change` excludes 0."""


@dataclass(frozen=True)
class DifferenceTime:
    before: float | None
    """Value of the earlier measurement. Unit: us."""
    before_half_width: float | None
    """Half-width of the 95 % interval of `before`. Unit: us."""
    after: float | None
    """Value of the later measurement. Unit: us."""
    after_half_width: float | None
    """Half-width of the 95 % interval of `after`. Unit: us."""
    change: float | None
    """Change: after - before. Unit: us."""
    change_half_width: float | None
    """Half-width of the 95 % interval of `change`: both half-widths plus the half-width between starts. Unit: us."""
    change_percent: float | None
    """Change in % of the earlier value. Unit: %."""
    change_half_width_percent: float | None
    """`change_half_width` in % of the earlier value. Unit: %."""
    changed: bool
    """Whether the 95 % interval of `change` excludes 0."""


@dataclass(frozen=True)
class DifferenceIteration:
    phase_before: str | None
    """Phase of the earlier run; null if a single iteration was measured."""
    phase_after: str | None
    """Phase of the later run; null if a single iteration was measured."""
    program_iteration_us: DifferenceTime | None
    """Time of the program's own iteration, as program_iteration_us in comparison_report.json."""
    whole_us: DifferenceTime | None
    """Time of the whole."""
    sum_us: DifferenceTime | None
    """Time of the sum over the kernels."""
    whole_mj: DifferenceEnergy | None
    """Energy of the whole."""
    whole_w: DifferencePower | None
    """Mean power of the whole."""
    kernels: tuple[DifferenceIterationKernel, ...]
    """Kernels that both iterations have, and kernels that replace others; the one with the largest change of time
    first."""
    ranges: tuple[DifferencePart, ...]
    """NVTX ranges; each range follows the one that contains it."""


@dataclass(frozen=True)
class DifferenceAfter:
    """The later measurement."""
    title: str
    """Measured program and device, as one text for people."""
    measured: str
    """Local time of the measurement."""
    kjoule: str
    """Version of kjoule that made the measurement."""
    device: str
    """Name of the device on which the program was measured."""


@dataclass(frozen=True)
class DifferenceBefore:
    """The earlier measurement."""
    title: str
    """Measured program and device, as one text for people."""
    measured: str
    """Local time of the measurement."""
    kjoule: str
    """Version of kjoule that made the measurement."""
    device: str
    """Name of the device on which the program was measured."""


@dataclass(frozen=True)
class Difference(Report):
    """The difference between two measurements, an earlier one (before) and a later one (after)."""
    _rows: ClassVar[str | None] = "iterations.kernels"
    schema: Literal[1]
    """Version of this report's format."""
    before: DifferenceBefore
    """The earlier measurement."""
    after: DifferenceAfter
    """The later measurement."""
    start_half_width_percent: float | None
    """95 % half-width of the difference between two starts of an unchanged program; it is part of the half-width of
    every change; null if unknown. Unit: %."""
    start_half_width_source: str
    """Origin of start_half_width_percent, or the reason why it is unknown."""
    iterations: tuple[DifferenceIteration, ...]
    """The iterations that both measurements have."""
    only_before: tuple[str, ...]
    """Phases that only the earlier run has."""
    only_after: tuple[str, ...]
    """Phases that only the later run has."""
    run_us: DifferenceTime | None
    """Time of all iterations of the phases that both runs have; null if single iterations are compared."""
    layers: tuple[DifferencePart, ...]
    """Layers of a network."""
    findings: tuple[str, ...]
    """Reasons to doubt the comparison, one sentence each."""
    time_limit_percent: float | None
    """Largest permitted rise of the whole's time (--fail-above); null if not given. Unit: %."""
    energy_limit_percent: float | None
    """Largest permitted rise of the whole's energy (--fail-energy-above); null if not given. Unit: %."""
    verdict: Literal['changed', 'not changed', 'inconclusive'] | None
    """Whether time or energy of the whole rose by more than the limit; null without a limit."""
    verdict_reason: str | None
    """Sentence with the rises and the limits; null without a limit."""


@dataclass(frozen=True)
class LayersIsolatedLayer:
    """A layer in isolation."""
    latency_ms: float | None
    """Time of one layer in isolation; null if it was not measured. Unit: ms."""
    latency_interval_ms: tuple[float | None, float | None] | None
    """95 % interval of latency_ms. As [low, high]; an end is null if it is infinite. Unit: ms."""
    energy_j: float | None
    """Energy of one layer in isolation; null if it was not measured. Unit: J."""
    energy_interval_j: tuple[float | None, float | None] | None
    """95 % interval of energy_j. As [low, high]; an end is null if it is infinite. Unit: J."""
    iterations: int
    """Least number of times the layer ran in one reading. Unit: layers."""
    error: str | None = None
    """Reason why the layer has no time in isolation."""


@dataclass(frozen=True)
class LayersLayerIsolated:
    """The layer in isolation, by the data that repeats use; present only with --buffers rotate or same."""
    rotate: LayersIsolatedLayer | None = None
    """Values with other data in each repeat."""
    same: LayersIsolatedLayer | None = None
    """Values with the same data in each repeat."""


@dataclass(frozen=True)
class LayersLayerAboveRoof:
    """Present if the layer is faster than the roof allows, so that either its counted work or the roof is wrong for
    it."""
    percent: float
    """Least time at the device's roofs, as a share of latency_ms. Unit: %."""
    reason: str
    """Possible reason for the excess."""


@dataclass(frozen=True)
class LayersLayer:
    """Layers that do the same work, as one entry."""
    name: str
    """Name of the first of the layers that do the same work."""
    kind: str
    """Kind of the layer, as in the network's file."""
    operator: str
    """Name of the operator that the layer calls; empty if only its launches are known."""
    input_shape: str
    """Shape of the first input, such as 8x197x768; empty if the first input is no tensor."""
    count: int
    """Number of layers in the network that do this work. Unit: layers."""
    launches: int
    """Number of launches of one layer. Unit: launches."""
    parameters: int | None
    """Number of parameters of one layer; null if unknown. Unit: parameters."""
    multiply_adds: int | None
    """Number of multiply-adds of one layer; null if unknown. Unit: multiply-adds."""
    bytes: int | None
    """Bytes that one layer reads and writes, each tensor counted once; null if unknown. Unit: bytes."""
    latency_ms: float | None
    """Time of one layer; null if it was not measured. Unit: ms."""
    latency_interval_ms: tuple[float | None, float | None] | None
    """95 % interval of latency_ms. As [low, high]; an end is null if it is infinite. Unit: ms."""
    energy_j: float | None
    """Energy of one layer; null if it was not measured. Unit: J."""
    energy_interval_j: tuple[float | None, float | None] | None
    """95 % interval of energy_j. As [low, high]; an end is null if it is infinite. Unit: J."""
    power_w: float | None
    """Mean power, energy_j over latency_ms. Unit: W."""
    tflop_per_s: float | None
    """Floating-point operations per second, counting two for a multiply-add; null if it is not available. Unit:
    10^12 FLOP/s."""
    gb_per_s: float | None
    """Bytes read and written per second; null if it is not available. Unit: 10^9 bytes/s."""
    j_per_tflop: float | None
    """Energy per floating-point operation; null if it is not available. Unit: J per 10^12 FLOP."""
    share_percent: float | None
    """Time of all equal layers (latency_ms x count) as a share of pipeline_latency_ms. Unit: %."""
    roofline_percent: float | None
    """Least time that the layer's FLOPs and bytes need at the device's roofs, as a share of latency_ms; null if
    unknown or above 100. Unit: %."""
    roofline_bound: Literal['compute', 'memory', '']
    """Resource that needs the least time of the roofline: compute (FLOPs) or memory (bytes); empty if unknown."""
    above_roof: LayersLayerAboveRoof | None = None
    """Present if the layer is faster than the roof allows, so that either its counted work or the roof is wrong for
    it."""
    isolated: LayersLayerIsolated | None = None
    """The layer in isolation, by the data that repeats use; present only with --buffers rotate or same."""
    error: str | None = None
    """Reason why the layer has no time."""


@dataclass(frozen=True)
class LayersCheck:
    """Comparison with the same network as a model file, measured as a whole."""
    model: str
    """Path of the model file (--check)."""
    whole_ms: float
    """Time of one iteration of the model. Unit: ms."""
    whole_interval_ms: tuple[float | None, float | None] | None
    """95 % interval of whole_ms. As [low, high]; an end is null if it is infinite. Unit: ms."""
    latency_error_percent: float
    """Sum of the layers' latencies minus whole_ms, with sign, as a share of whole_ms. Unit: %."""
    whole_j: float | None
    """Energy of one iteration of the model; null if it is not available. Unit: J."""
    whole_interval_j: tuple[float | None, float | None] | None
    """95 % interval of whole_j. As [low, high]; an end is null if it is infinite. Unit: J."""
    energy_error_percent: float | None
    """Sum of the layers' energies minus whole_j, with sign, as a share of whole_j; null if it is not available.
    Unit: %."""


@dataclass(frozen=True)
class LayersIsolatedSum:
    """Sums over all layers in isolation."""
    pipeline_latency_ms: float | None
    """Sum of latency in isolation x count over all layers; null if a layer has none. Unit: ms."""
    pipeline_energy_j: float | None
    """Sum of energy in isolation x count over all layers; null if a layer has none. Unit: J."""


@dataclass(frozen=True)
class LayersIsolated:
    """Sums over the layers in isolation, by the data that repeats use; present only with --buffers rotate or same."""
    rotate: LayersIsolatedSum | None = None
    """Sums with other data in each repeat."""
    same: LayersIsolatedSum | None = None
    """Sums with the same data in each repeat."""


@dataclass(frozen=True)
class LayersProgramIterations:
    """Numbers of iterations of the whole network or program that were run before the recorded one; null unless
    buffers is context."""
    runs: int
    """Number of timed iterations. Unit: iterations."""
    warmup: int
    """Number of untimed iterations before them. Unit: iterations."""
    limit_s: float | None
    """Time limit because of which there are fewer iterations than by default (--runs, --warmup); null if there are
    as many. Unit: s."""


@dataclass(frozen=True)
class Layers(Report):
    """Latency and energy of each layer of a network. kjoule layers writes this file; kjoule layers --json prints it,
    or an array of such objects for several batches or pipelines."""
    _rows: ClassVar[str | None] = "layers"
    pipeline: str
    """Name of the network, followed by batch and data type if several of them are measured."""
    network: str
    """Name of the network, without its batch and data type; empty for a program."""
    dtype: Literal['float32', 'float16', 'bfloat16', '']
    """Data type of the network's tensors; empty for a program."""
    about: str
    """Description of the network; may be empty."""
    parameters: int | None
    """Number of parameters of the network; null if unknown. Unit: parameters."""
    multiply_adds: int | None
    """Number of multiply-adds of the network; null if unknown. Unit: multiply-adds."""
    complete: bool
    """Whether every layer has a time. If not, sums contain only the layers that have one."""
    pipeline_latency_ms: float
    """Sum of latency x count over all layers. Unit: ms."""
    bottleneck_latency_ms: float
    """Latency of the slowest layer. Unit: ms."""
    throughput_per_s: float | None
    """1 / bottleneck_latency: throughput of a pipeline in which every layer has a stage of its own; null if no layer
    was measured. Unit: iterations per s."""
    pipeline_energy_j: float | None
    """Sum of energy x count over all layers; null if it is not available. Unit: J."""
    pipeline_energy_with_idle_j: float | None
    """pipeline_energy_j plus the energy of waiting pipeline stages: idle power x the sum over layers of (bottleneck
    latency - latency) x count; null if it is not available. Unit: J."""
    idle_w: float | None
    """Measured idle power; null if it was not measured. Unit: W."""
    buffers: Literal['context', 'rotate', 'same']
    """Condition under which the layers' times and energies were measured: in the network (context), or in isolation
    with other data each time (rotate) or the same data (same)."""
    error_percent: float | None
    """Sum of the layers minus the time of all layers replayed one after another, with sign, as a share of the
    latter; null unless buffers is context. Unit: %."""
    half_width_percent: float | None
    """Half-width of the 95 % interval of error_percent. Unit: %."""
    program_iterations: LayersProgramIterations | None
    """Numbers of iterations of the whole network or program that were run before the recorded one; null unless
    buffers is context."""
    roof_flop_per_s: float | None
    """Rate of the fastest matrix product; null if it was not measured. Unit: FLOP/s."""
    roof_byte_per_s: float | None
    """Rate of the fastest copy, read or write of large memory; null if it was not measured. Unit: bytes/s."""
    roof_convolution_flop_per_s: float | None
    """Rate of the fastest matrix product in the arithmetic that convolutions use, if it differs from that of matrix
    products (TF32 for float32 on a GPU); otherwise null. Unit: FLOP/s."""
    cache_bytes: int | None
    """Size of the device's largest cache; null if unknown. Unit: bytes."""
    layers: tuple[LayersLayer, ...]
    """The layers, in the order in which they first run."""
    run: Run
    """Measured program, device and version of kjoule."""
    energy_missing: str | None = None
    """Reason why there is no energy although it was requested."""
    roof_missing: str | None = None
    """Reason why the device's peak rates could not be measured."""
    isolated: LayersIsolated | None = None
    """Sums over the layers in isolation, by the data that repeats use; present only with --buffers rotate or same."""
    check: LayersCheck | None = None
    """Comparison with the same network as a model file, measured as a whole."""


@dataclass(frozen=True)
class IsolatedKernelsTimingInContext:
    """Sum and whole in context, measured by kjoule compare; null in other commands."""
    sum_us: float
    """Sum of the times in context of all kernels. Unit: us."""
    sum_interval_us: tuple[float | None, float | None]
    """95 % interval of sum_us. As [low, high]. Unit: us."""
    whole_us: float
    """Time of the whole. Unit: us."""
    whole_interval_us: tuple[float | None, float | None]
    """95 % interval of whole_us. As [low, high]. Unit: us."""


@dataclass(frozen=True)
class IsolatedKernelsTimingBlock:
    """Block in which iterations were repeated for a power meter. In `with` and `without`, one iteration also
    includes restoring memory once, and copies that write once more what the launches write."""
    benchmark_runs: int
    """Number of iterations in the block. Unit: iterations."""
    single_time_us: float
    """Mean time of one iteration. Unit: us."""
    start_timestamp: str
    """Local time at which the block began."""
    end_timestamp: str
    """Local time at which the block ended."""


@dataclass(frozen=True)
class IsolatedKernelsTimingGroup:
    """Kernels that were measured together for a power meter. On a CPU, all their launches were repeated in the order
    of the iteration. On a GPU, iterations with these launches (`with`) and without them (`without`) were repeated;
    the difference is their energy."""
    name: str
    """Name of the group, to which the field group of its kernels refers."""
    tier: Literal[1, 2, 3, 'unknown']
    """Origin of the group's kernels."""
    benchmark_runs: int | None = None
    """Number of repeats of the group's launches in the block. Unit: runs."""
    single_time_us: float | None = None
    """Mean time of one repeat. Unit: us."""
    start_timestamp: str | None = None
    """Local time at which the block began."""
    end_timestamp: str | None = None
    """Local time at which the block ended."""
    error: str | None = None
    """Reason why the group could not be repeated."""
    with_: tuple[IsolatedKernelsTimingBlock, ...] | None = None
    """Blocks of iterations with the group's launches, before and after the blocks without them; only on a GPU."""
    without: tuple[IsolatedKernelsTimingBlock, ...] | None = None
    """Blocks of iterations without the group's launches; only on a GPU."""


@dataclass(frozen=True)
class IsolatedKernelsTimingKernel:
    """A kernel that was repeated back to back."""
    name: str
    """Name of the kernel."""
    short_name: str
    """Short name of the kernel, at most 60 bytes; different from those of the other kernels in this report."""
    tier: Literal[1, 2, 3, 'unknown']
    """Origin of the kernel."""
    invocation_count: int
    """Launches of the kernel in one iteration. Unit: launches."""
    signature: str
    """Signature of the kernel: launches that share it are one kernel."""
    benchmark_runs: int | None = None
    """Number of launches in the timed block; absent if the kernel was not replayed. Unit: launches."""
    single_time_us: float | None = None
    """Mean time of one launch. Unit: us."""
    total_time_us: float | None = None
    """single_time_us x invocation_count. Unit: us."""
    start_timestamp: str | None = None
    """Local time at which the kernel's block began."""
    end_timestamp: str | None = None
    """Local time at which the kernel's block ended."""
    block_error: str | None = None
    """Reason why the kernel could not be repeated for a power meter; the times are then those of its replays in
    isolation."""
    group: str | None = None
    """Name of the group with which the kernel was measured for a power meter; absent if the kernel has a block of
    its own."""
    total_time_in_context_us: float | None = None
    """Time in context of all launches of the kernel in one iteration; absent if it was not measured. Unit: us."""
    total_time_in_context_interval_us: tuple[float | None, float | None] | None = None
    """95 % interval of total_time_in_context_us. As [low, high]; an end is null if it is infinite. Unit: us."""
    error: str | None = None
    """Reason why the kernel was not replayed."""


@dataclass(frozen=True)
class IsolatedKernelsTimingTableKernel:
    """A kernel of the trace or table."""
    name: str
    """Name of the kernel."""
    short_name: str
    """Short name of the kernel, at most 60 bytes; different from those of the other kernels in this report."""
    category: str
    """Category of the kernel by the rules for names; "unknown" if no rule matches."""
    single_time_us: float | None
    """Mean time of one replayed launch that is repeated back to back, if the kernel was replayed. Unit: us."""
    recorded_time_us: float | None
    """Mean time of one launch in the trace or table, if it states times. Unit: us."""
    invocation_count: float
    """Launches in one iteration (a fraction if iterations differ), or in the whole table if its number of iterations
    is unknown. Unit: launches."""
    iterations: int | None
    """Number of the table's iterations, of which invocation_count is the mean, if it is known. Unit: iterations."""
    total_time_us: float | None
    """Time of all launches, if the kernel was replayed. Unit: us."""
    tier: Literal[1, 2, 3, 'unknown']
    """Origin of the kernel: 1 CUDA runtime, 2 vendor library, 3 framework, or unknown."""
    replayed: Literal['same', 'same family', 'kernel not stated', 'different', 'not replayable']
    """Kernel that the replay launched: the same one, one of the same family, a different one, those of a call
    (kernel not stated), or none (not replayable)."""
    benchmark_runs: int | None
    """Number of launches in the timed block, if the kernel was replayed. Unit: launches."""
    signature: str
    """Signature of the kernel in the trace or table."""
    replayed_on: Literal['cpu', 'cuda'] | None = None
    """Device of the replay, cpu or cuda, if the kernel was replayed."""
    call: str | None = None
    """Call by which the kernel was replayed, such as aten::addmm, memcpy HtoD or cuBLAS 5x3072x1024 float16."""
    inferred: Literal[True] | None = None
    """True if operator and sizes were inferred from the kernel's name, grid and block, because the table states
    none; otherwise absent."""
    ran: str | None = None
    """Name of the kernel that the replay launched; if a call without a stated kernel launched several kernels, their
    names joined by +."""
    start_timestamp: str | None = None
    """Local time at which the block began; absent if the call launched several kernels."""
    end_timestamp: str | None = None
    """Local time at which the block ended."""
    error: str | None = None
    """Reason why the kernel was not replayed, or not by the same kernel."""


@dataclass(frozen=True)
class IsolatedKernelsTimingTierBreakdown:
    """Results of the replay by tier."""
    tier1_cuda_runtime: ReplayedTier
    """Kernels of the CUDA runtime."""
    tier2_cublas: ReplayedTier
    """Kernels of vendor libraries."""
    tier3_libtorch: ReplayedTier
    """Kernels of the framework."""
    unknown: ReplayedTier
    """Kernels of unknown origin."""


@dataclass(frozen=True)
class IsolatedKernelsTimingNotReplayable:
    error: str
    """The reason."""
    kernels: int
    """Number of kernels that were not replayed for this reason. Unit: kernels."""
    first: str
    """Name of the first kernel that was not replayed for this reason."""


@dataclass(frozen=True)
class IsolatedKernelsTimingShares:
    """Shares of the table's kernels, by the result of their replay."""
    same_percent: float
    """Share of kernels whose replay launched the same kernel. Unit: % of what shares_of names."""
    same_family_percent: float
    """Share of kernels whose replay launched another kernel of their family. Unit: % of what shares_of names."""
    kernel_not_stated_percent: float
    """Share of calls whose kernel the table does not state. Unit: % of what shares_of names."""
    different_percent: float
    """Share of kernels whose operator launched a kernel of another family. Unit: % of what shares_of names."""
    not_replayable_percent: float
    """Share of kernels that were not replayed. Unit: % of what shares_of names."""


@dataclass(frozen=True)
class IsolatedKernelsTiming(Report):
    """Time of each kernel, repeated back to back in isolation. The file has two forms: of a run (kjoule isolated,
    kjoule compare), and, if it has the key source, of a trace or table that was replayed from its signatures (kjoule
    isolated --kernels, and replay/ of kjoule compare --kernels)."""
    _rows: ClassVar[str | None] = "kernels"
    isolated_sum_us: float | None | float
    """Sum of the time of one launch in isolation x count, over kernels whose replay launched the same kernel or one
    of its family, and over calls whose kernel is not stated; null if it is not available. Unit: us."""
    kernels: tuple[IsolatedKernelsTimingTableKernel, ...] | tuple[IsolatedKernelsTimingKernel, ...]
    """All kernels of the trace or table."""
    run: Run
    """Measured table, device and version of kjoule."""
    source: str | None = None
    """Path of the trace or table."""
    source_format: str | None = None
    """Format of the trace or table."""
    recorded_sum_us: float | None = None
    """Sum of the times that the trace states, over all kernels; null if a kernel has none. Unit: us."""
    shares_of: Literal['recorded time', 'launches'] | None = None
    """Quantity of which the shares are parts."""
    shares: IsolatedKernelsTimingShares | None = None
    """Shares of the table's kernels, by the result of their replay."""
    extra_kernels: int | None = None
    """Number of kernels that the replayed calls launched in addition to the table's kernels. Unit: kernels."""
    iterations: int | None = None
    """Number of iterations over which the counts are averaged; null if the counts are of the whole table. Unit:
    iterations."""
    iterations_missing: str | None = None
    """Reason why iterations is null."""
    replayed_on: Literal['cpu', 'cuda', 'cpu and cuda'] | None = None
    """Devices on which the kernels were replayed."""
    note: str | None = None
    """Statement that kernels of a GPU were replayed on the CPU; absent if they were not."""
    not_replayable: tuple[IsolatedKernelsTimingNotReplayable, ...] | None = None
    """Reasons why kernels could not be replayed, each once."""
    tier_breakdown: IsolatedKernelsTimingTierBreakdown | None = None
    """Results of the replay by tier."""
    groups: tuple[IsolatedKernelsTimingGroup, ...] | None = None
    """Groups of kernels that were measured together for a power meter, by tier."""
    whole: IsolatedKernelsTimingBlock | None = None
    """Block in which the whole was repeated back to back for a power meter; null if it was not."""
    in_context: IsolatedKernelsTimingInContext | None = None
    """Sum and whole in context, measured by kjoule compare; null in other commands."""
    power_meter: PowerMeter | None = None
    """Meter whose readings are in the folder's power log; null if no meter was logged."""
    load_pattern: LoadPatternFields | None = None
    """Load pattern by which the clock offset of a power log is found (--align); null if none was run."""


@dataclass(frozen=True)
class LoadPatternFieldsEdge:
    """One switching of the load."""
    timestamp: str
    """Local time of the switching."""
    begins: bool
    """Whether the load was switched on (true) or off (false)."""


@dataclass(frozen=True)
class LoadPatternFields:
    """A load that was switched on and off several times."""
    start_timestamp: str
    """Local time at which the pattern began."""
    end_timestamp: str
    """Local time at which the pattern ended."""
    edges: tuple[LoadPatternFieldsEdge, ...]
    """Times at which the load was switched on or off, in order."""


@dataclass(frozen=True)
class PowerMeter:
    source: str
    """Power source, as kjoule power devices names it."""
    name: str
    """Name of the meter within its source."""
    averaging_seconds: float
    """Time over which one reading averages. Unit: s."""
    averaging_from: str
    """Who states averaging_seconds."""
    delay_seconds: float
    """Time by which a reading may be older than its timestamp. Unit: s."""
    accuracy_from: str
    """Who states accuracy; empty if it is unknown."""
    accuracy: float | None = None
    """Systematic error of the meter, as a share of its readings; absent if unknown. Unit: 1."""


@dataclass(frozen=True)
class FullModelTiming(Report):
    """Times of the program's own iterations, launch gaps included, timed by the host's clock in one contiguous
    block. kjoule full and kjoule compare write this file."""
    _rows: ClassVar[str | None] = None
    full_model_inference_us: float | None
    """Mean time of the timed iterations; null if none was timed. Unit: us."""
    full_model_inference_ms: float | None
    """Mean time of the timed iterations; null if none was timed. Unit: ms."""
    min_time_us: float | None
    """Time of the shortest iteration; null if none was timed. Unit: us."""
    max_time_us: float | None
    """Time of the longest iteration; null if none was timed. Unit: us."""
    median_time_us: float | None
    """Median time of the iterations; null if none was timed. Unit: us."""
    p95_time_us: float | None
    """95th percentile of the iterations' times, interpolated; null if none was timed. Unit: us."""
    standard_error_us: float | None
    """Standard error of the mean time; 0 for a single iteration; null if none was timed. Unit: us."""
    num_runs: int
    """Number of timed iterations. Unit: iterations."""
    warmup_runs: int
    """Number of warm-up iterations before the timed ones; they are not in the times. Unit: iterations."""
    start_timestamp: str
    """Local time at which the timed iterations began."""
    end_timestamp: str
    """Local time at which the timed iterations ended."""
    run_times_us: tuple[float, ...]
    """Time of each timed iteration, in order. Unit: us, each."""
    power_meter: PowerMeter | None
    """Meter whose readings are in the folder's power log; null if no meter was logged."""
    load_pattern: LoadPatternFields | None
    """Load pattern by which the clock offset of a power log is found (--align); null if none was run."""
    run: Run
    """Measured program, device and version of kjoule."""


@dataclass(frozen=True)
class RunReportLeftPhase:
    kind: Literal['loop', 'single pass', 'window']
    """Kind of phase: all runs of a loop, a single pass, or another window of launches."""
    first_launch: int | None
    """First launch of the chosen iteration, in the first start; null if the launches of a window could not be
    recorded. Unit: number of the launch, from 0; a graph counts as its nodes."""
    launches: int | None
    """Number of launches of the chosen iteration; null if the launches of a window could not be recorded. Unit:
    launches."""
    iterations: int
    """Number of iterations of the loop in the whole run. Unit: iterations."""
    busy_us: float | None
    """GPU time of all iterations, by the profiler; null for a window, during which the profiler was off. Unit: us."""
    run_share_percent: float | None
    """GPU time (busy_us) as a share of that of the run, by the profiler; null for a window. Unit: %."""
    samples: int
    """Number of iterations of this loop that were chosen to be measured, each as a phase of its own that represents
    `iterations` iterations; 1 if one iteration represents all. Unit: iterations."""
    spread_percent: float | None
    """Distance between the 10 % and 90 % quantiles of the iterations' GPU times, as a share of their median; null if
    unknown. Unit: %."""
    reason: str
    """Reason why the phase was not replayed."""


@dataclass(frozen=True)
class RunReportPhase:
    phase: int
    """Number of the phase in the order of GPU time. Unit: number of the phase."""
    folder: str
    """Results folder of the phase, relative to this folder."""
    kind: Literal['loop', 'single pass', 'window']
    """Kind of phase: all runs of a loop, a single pass, or another window of launches."""
    first_launch: int
    """First launch of the measured iteration, in the first start. Unit: number of the launch, from 0; a graph counts
    as its nodes."""
    launches: int
    """Number of launches of the measured iteration. Unit: launches."""
    iterations: int
    """Number of iterations of the loop in the whole run. Unit: iterations."""
    busy_us: float | None
    """GPU time of all iterations, by the profiler; null for a window, during which the profiler was off. Unit: us."""
    run_share_percent: float | None
    """GPU time (busy_us) as a share of that of the run, by the profiler; null for a window. Unit: %."""
    samples: int
    """Number of iterations of this loop that were measured, each as a phase of its own that represents `iterations`
    iterations; 1 if one iteration represents all. Unit: iterations."""
    spread_percent: float | None
    """Distance between the 10 % and 90 % quantiles of the iterations' GPU times, as a share of their median; null if
    unknown. Unit: %."""
    whole_us: float
    """Time of the whole: one iteration, replayed without gaps. Unit: us."""
    sum_us: float
    """Time of the sum over the kernels of one iteration. Unit: us."""
    half_width_us: float | None
    """Half-width of the 95 % interval of sum_us; null if it is infinite. Unit: us."""
    sum_error_percent: float
    """sum_us - whole_us, with sign, as a share of whole_us. Unit: %."""
    whole_joules: float | None
    """Energy of the whole: one replayed iteration; null if it was not measured. Unit: J."""
    sum_joules: float | None
    """Sum of the energies of the kernels of one iteration; null if it was not measured. Unit: J."""
    half_width_joules: float | None
    """Half-width of the 95 % interval of sum_joules; null if it was not measured. Unit: J."""


@dataclass(frozen=True)
class RunReportEstimateKernel:
    name: str
    """Name of the kernel, or kind of copy or memset."""
    grid: tuple[int, ...]
    """Number of blocks in each dimension of the grid; empty for copies and memsets. Unit: blocks."""
    block: tuple[int, ...]
    """Number of threads in each dimension of a block; empty for copies and memsets. Unit: threads."""
    bytes: int | None
    """Size of a copy or memset; null for kernels. Unit: B."""
    count: float
    """Number of launches that the profiler recorded. Unit: launches."""
    profiled_us: float
    """Time of all these launches by the profiler. Unit: us."""
    replayed_us: float
    """Estimated time in context of all these launches. Unit: us."""
    half_width_us: float | None
    """Half-width of the 95 % interval of replayed_us; null if it is infinite. Unit: us."""
    share_of_run_percent: float
    """replayed_us as a share of the estimated time of the run. Unit: %."""
    windows: int
    """Number of windows that contain the kernel; if it is 0, replayed_us is scaled from the profiler's time. Unit:
    windows."""


@dataclass(frozen=True)
class RunReportEstimateLeftOut:
    """Test that predicts the whole of each window from the kernels of all other windows; null if there are fewer
    than three windows."""
    windows: int
    """Number of windows that were predicted. Unit: windows."""
    inside: int
    """Number of windows whose measured whole is inside the 95 % interval of its prediction. Unit: windows."""
    mean_error_percent: float
    """Mean over windows of prediction - whole, with sign, as a share of the whole. Unit: %."""
    rms_error_percent: float
    """Root mean square over windows of prediction - whole, as a share of the whole. Unit: %."""


@dataclass(frozen=True)
class RunReportEstimateMeanIteration:
    """Mean iteration of the measured loop, without launch gaps; null if no loop was measured."""
    iterations: int
    """Number of iterations that the profiler recorded. Unit: iterations."""
    replayed_us: float
    """Mean GPU time of these iterations by the profiler, times the run's ratio of replayed to profiled time. Unit:
    us."""
    half_width_us: float | None
    """Half-width of the 95 % interval of replayed_us; null if unknown. Unit: us."""
    low_profiled_us: float
    """10 % quantile of the iterations' GPU times, by the profiler. Unit: us."""
    high_profiled_us: float
    """90 % quantile of the iterations' GPU times, by the profiler. Unit: us."""


@dataclass(frozen=True)
class RunReportEstimate:
    """Estimated time of the whole run: sum over kernels of time in context x count."""
    windows: int
    """Number of windows from which the estimate is made: measured phases, windows and the loop. Unit: windows."""
    replayed_us: float
    """Estimated time in context of all launches of the run. Unit: us."""
    half_width_us: float | None
    """Half-width of the 95 % interval of replayed_us; null if there is a single window. Unit: us."""
    profiled_us: float
    """Time of the same launches by the profiler. Unit: us."""
    scaled_percent: float
    """Share of replayed_us that belongs to kernels in no window; their times are scaled from those of the profiler.
    Unit: %."""
    mean_iteration: RunReportEstimateMeanIteration | None
    """Mean iteration of the measured loop, without launch gaps; null if no loop was measured."""
    left_out: RunReportEstimateLeftOut | None
    """Test that predicts the whole of each window from the kernels of all other windows; null if there are fewer
    than three windows."""
    kernels: tuple[RunReportEstimateKernel, ...]
    """Kernels, distinguished by name, grid and block, and copies and memsets, distinguished by kind and size; the
    one with the longest replayed time first."""


@dataclass(frozen=True)
class RunReportReplayed:
    verdict: Literal['adds up', 'does not add up', 'inconclusive']
    """Verdict of the comparison of the run's sum and whole."""
    requested_within_percent: float
    """Largest within_percent for the verdict "adds up" (--within). Unit: %."""
    within_percent: float | None
    """Distance between sum and whole plus the half-width of the sum's interval, as a share of the whole; null if the
    half-width is infinite. Unit: %."""
    verdict_reason: str
    """Sentence with the numbers from which the verdict follows."""
    replayed_share_percent: float
    """Share of all kernels' time, by the profiler, that belongs to kernels in the measured phases and windows;
    kernels are distinguished by name, grid and block. Unit: %."""
    whole_us: float
    """Whole of the run: sum over the phases of iterations x whole_us of the phase. Unit: us."""
    sum_us: float
    """Sum of the run: sum over the phases of iterations x sum_us of the phase. Unit: us."""
    half_width_us: float | None
    """Half-width of the 95 % interval of sum_us: sum over the phases of iterations x half_width_us of the phase;
    null if a phase has none. Unit: us."""
    sum_error_percent: float
    """sum_us - whole_us, with sign, as a share of whole_us. Unit: %."""
    further_starts: int
    """Number of further starts of the program. Unit: starts."""
    matched_share_percent: float | None
    """Share of the chosen phases' GPU time (in the first start) that belongs to phases which were found again in
    further starts; null if no phase was searched for. Unit: %."""
    exit_code: int | None
    """Exit code of the further start in which the program ran to its end; null if it did so in none. Unit: code."""
    ended: tuple[str, ...]
    """Reasons why further starts were ended before the program's end, so that its output files may be incomplete."""
    estimate: RunReportEstimate | None
    """Estimated time in context of all launches that the profiler recorded, from the windows; null if no window has
    a kernel with both a replayed and a profiled time."""
    phases: tuple[RunReportPhase, ...]
    """Measured phases, the one with the longest GPU time first, and measured windows."""
    not_replayed: tuple[RunReportLeftPhase, ...]
    """Phases that were not measured, of which only the profiler's times are known, and windows that could not be
    replayed."""


@dataclass(frozen=True)
class RunReportRank:
    """One rank of the program: a process that worked on a GPU."""
    process: int
    """Id of the process. Unit: process id."""
    launches: int
    """Number of launches by the rank's host; a CUDA graph is one launch. Unit: launches."""
    synchronisations: int
    """Number of calls in which the rank's host waited for the GPU. Unit: calls."""
    gpu: RunReportTimes
    """Times of all operations of the run on the GPU."""
    unmatched_operations: int
    """Number of operations whose launch is not in the log. Unit: operations."""
    complete: bool
    """Whether the program ended by itself. If so, only what dropped_calls and dropped_operations count is missing."""
    dropped_calls: int | None
    """Number of host calls whose records were not kept; null if the program was killed. Unit: records."""
    dropped_operations: int | None
    """Number of operations without a record, because it was not kept or because the profiler was off while
    iterations were timed; null if the program was killed. Unit: records."""
    kinds: tuple[RunReportKind, ...]
    """Kinds of parts of the run (equal parts are one kind), the kind with the longest GPU time first."""
    parts: tuple[RunReportPart, ...]
    """The first 1000 parts of the run (loops and single passes), in order."""
    parts_omitted: int
    """Number of parts after the first 1000. Unit: parts."""
    groups: tuple[RunReportGroup, ...]
    """Loops whose bodies are several parts, outer loops first."""
    rank: int | None = None
    """Rank of the process; absent if the program's launcher does not state it. Unit: number of the rank."""
    energy: RunReportEnergy | None = None
    """Energy of the GPU from the begin of the run to its end, by the GPU's own counter. It contains idle time and
    the work of other programs. Absent if energy_missing is present."""
    energy_missing: str | None = None
    """Reason why there is no energy; absent if it was measured."""
    log_cut: str | None = None
    """Reason why the log contains only the first part of the run; absent if it contains all of it."""


@dataclass(frozen=True)
class RunReportKernel:
    name: str
    """Demangled name of the kernel, or direction of the copy."""
    short_name: str
    """Short name of the kernel, at most 60 bytes; different from those of the other kernels in this report."""
    tier: Literal[1, 2, 3, 'unknown']
    """Origin of the kernel: 1 CUDA runtime, 2 vendor library, 3 framework, or unknown."""
    count: int
    """Number of operations in the run. Unit: operations."""
    grid: tuple[int, ...] | None
    """Number of blocks in each dimension of the grid; null for copies and memsets. Unit: blocks."""
    block: tuple[int, ...] | None
    """Number of threads in each dimension of a block; null for copies and memsets. Unit: threads."""
    shared_bytes: int
    """Dynamic shared memory per block. Unit: B."""
    total_ms: float
    """Sum of the durations of all these operations. Unit: ms."""
    mean_us: float
    """Mean duration of one operation. Unit: us."""
    least_us: float
    """Shortest duration of one operation. Unit: us."""
    most_us: float
    """Longest duration of one operation. Unit: us."""
    share_percent: float
    """Share of the sum of all operations' durations of the run, or of the rank. Unit: %."""
    bytes: int | None
    """Number of bytes of all these copies or memsets, added up; null for kernels. Unit: B."""
    rank: int | None
    """Rank that ran the operations; null for all ranks together, for a program of one process, and if the launcher
    does not state ranks. Unit: number of the rank."""
    process: int | None
    """Id of the rank's process; null for all ranks together and for a program of one process. Unit: process id."""


@dataclass(frozen=True)
class RunReportGroup:
    first_part: int
    """Index in `parts` of the first part of the loop's body. Unit: number of the part, from 0."""
    parts: int
    """Number of parts of the group. Unit: parts."""
    iterations: int
    """Number of complete iterations of the loop. Unit: iterations."""


@dataclass(frozen=True)
class RunReportPart:
    kind: int
    """Kind of the part, as in `kinds`. Unit: number of the kind."""
    first_launch: int
    """First launch of the part. Unit: number of the launch, from 0."""
    launches: int
    """Number of launches of the part; a CUDA graph is one launch. Unit: launches."""
    launches_per_iteration: int | None
    """Number of launches in one iteration; null for a single pass. Unit: launches."""
    iterations: int
    """Number of complete iterations of the part. Unit: iterations."""


@dataclass(frozen=True)
class RunReportKind:
    kind: int
    """Number of the kind; parts of one kind are loops over equal bodies. Unit: number of the kind."""
    runs: int
    """Number of parts of this kind. Unit: parts."""
    first_launch: int
    """First launch of the first part of this kind. Unit: number of the launch, from 0."""
    launches: int
    """Number of launches of all parts of this kind. Unit: launches."""
    launches_per_iteration: int | None
    """Number of launches in one iteration of the first part; null for a single pass. Unit: launches."""
    iterations: int
    """Number of complete iterations of all parts of this kind. Unit: iterations."""
    even: bool
    """Whether all iterations of each part have the same number of launches."""
    host_ms: float
    """Time on the host from a part's first launch to the first launch after the part, added up over the parts of
    this kind. Unit: ms."""
    busy_ms: float
    """Time in which the GPU is busy with the parts of this kind. Unit: ms."""
    share_percent: float
    """Share of the time in which the GPU is busy during the run. Unit: %."""


@dataclass(frozen=True)
class RunReportEnergy:
    meter: str
    """Source of the energy counter, as kjoule power devices names it."""
    gpu: str
    """UUID of the GPU."""
    joules: float
    """Energy of the GPU between begin and end. Unit: J."""
    half_width_joules: float
    """Bound of the error of joules that comes from the uncertain times of begin and end: this uncertainty times the
    mean power. It holds if the power at begin and end is at most the mean; it does not contain the meter's own
    accuracy. Unit: J."""
    watts: float
    """Mean power between begin and end: joules / seconds. Unit: W."""
    begin: str
    """Time of the counter's last change before the program was started."""
    end: str
    """Time of the counter's first change after the program had ended."""
    seconds: float
    """Time from begin to end. Unit: s."""


@dataclass(frozen=True)
class RunReportTimes:
    operations: int
    """Number of kernels, copies and memsets. Unit: operations."""
    busy_ms: float
    """Time in which at least one operation runs. Unit: ms."""
    span_ms: float
    """Time from the begin of the first operation to the end of the last one. Unit: ms."""
    gaps_ms: float
    """Time within the span in which no operation runs. Unit: ms."""
    overlap_ms: float
    """Time that operations run in parallel: sum of their durations minus busy_ms. Unit: ms."""


@dataclass(frozen=True)
class RunReport(Report):
    """Work that a whole run of a program did on the GPU, by CUPTI's records."""
    _rows: ClassVar[str | None] = "kernels"
    schema: Literal[1]
    """Version of this report's format."""
    title: str
    """Command line of the program."""
    times_by: Literal['profiler']
    """Origin of the times: CUPTI (profiler), whose recording lengthens a run's work by 2 to 6 %."""
    launches: int
    """Number of launches by the hosts of all ranks; a CUDA graph is one launch. Unit: launches."""
    synchronisations: int
    """Number of calls in which the hosts of all ranks waited for the GPU. Unit: calls."""
    other_processes: int
    """Number of further processes that used CUDA and are not in the report. Unit: processes."""
    kernels: tuple[RunReportKernel, ...]
    """Kernels, copies and memsets of the run, the one with the longest total time first. If the program has several
    ranks, each kernel has an item for each rank that ran it."""
    gpu: RunReportTimes | None = None
    """Times of all operations of the run on the GPU."""
    energy: RunReportEnergy | None = None
    """Energy of the GPU from the begin of the run to its end, by the GPU's own counter. It contains idle time and
    the work of other programs. Absent if energy_missing is present."""
    energy_missing: str | None = None
    """Reason why there is no energy; absent if it was measured."""
    unmatched_operations: int | None = None
    """Number of operations whose launch is not in the log. Unit: operations."""
    complete: bool | None = None
    """Whether the program ended by itself. If so, only what dropped_calls and dropped_operations count is missing."""
    dropped_calls: int | None = None
    """Number of host calls whose records were not kept; null if the program was killed. Unit: records."""
    dropped_operations: int | None = None
    """Number of operations without a record, because it was not kept or because the profiler was off while
    iterations were timed; null if the program was killed. Unit: records."""
    log_cut: str | None = None
    """Reason why the log contains only the first part of the run; absent if it contains all of it."""
    kinds: tuple[RunReportKind, ...] | None = None
    """Kinds of parts of the run (equal parts are one kind), the kind with the longest GPU time first."""
    parts: tuple[RunReportPart, ...] | None = None
    """The first 1000 parts of the run (loops and single passes), in order."""
    parts_omitted: int | None = None
    """Number of parts after the first 1000. Unit: parts."""
    groups: tuple[RunReportGroup, ...] | None = None
    """Loops whose bodies are several parts, outer loops first."""
    ranks: tuple[RunReportRank, ...] | None = None
    """Ranks of the program, in order; absent for a program of one process. If present, the fields that describe one
    process are in its items."""
    all_ranks: tuple[RunReportKernel, ...] | None = None
    """Kernels, copies and memsets of all ranks together, the one with the longest total time first; absent for a
    program of one process."""
    replayed: RunReportReplayed | None = None
    """Results of phases and windows of the run that were measured by replay; absent if no replay was tried."""


@dataclass(frozen=True)
class Load:
    """Load of the machine or GPU at the start of a measurement."""
    cores: int | None = None
    """Number of cores of the machine. Unit: cores."""
    load_average: float | None = None
    """The system's load average over one minute. Unit: processes."""
    threads: int | None = None
    """Number of CPU threads that the measured program uses. Unit: threads."""
    busy_cores: float | None = None
    """Number of cores that were busy, as a mean over 0.2 s; present only if the load average leaves too few free
    cores. Unit: cores."""
    warnings: tuple[str, ...] | None = None
    """Reasons why measured values may be wrong, one line each; absent if there are none."""
    programs_on_gpu: int | None = None
    """Number of processes with a context on the GPU. Unit: processes."""
    mig: bool | None = None
    """Whether the GPU is divided into instances (MIG)."""
    mps: str | None = None
    """Folder with the pipes of the multi-process service (MPS); absent if MPS does not run."""
    power_limit_w: float | None = None
    """Power limit that the GPU enforces. Unit: W."""
    default_power_limit_w: float | None = None
    """Power limit that the GPU has by default. Unit: W."""
    throttle_reasons: tuple[str, ...] | None = None
    """Throttle reasons that were active when the measurement began."""


@dataclass(frozen=True)
class Device:
    """The device on which the measured work ran."""
    kind: Literal['simulated'] | Literal['cpu'] | Literal['cuda']
    """Kind of device."""
    name: str | None = None
    """The device as simulated:SPEC, with the keys of SPEC in a fixed order."""
    threads: int | None = None
    """Number of CPU threads that torch uses. Unit: threads."""
    torch: str | None = None
    """Version of torch."""
    capability: str | None = None
    """CPU instruction set that torch uses."""
    title: str | None = None
    """Name of the GPU for people."""
    uuid: str | None = None
    """UUID of the GPU."""
    cuda_driver_version: int | None = None
    """CUDA version that the driver supports, as 1000 x major + 10 x minor. Unit: none."""
    multiprocessors: int | None = None
    """Number of streaming multiprocessors of the GPU. Unit: multiprocessors."""
    l2_bytes: int | None = None
    """Size of the GPU's L2 cache. Unit: bytes."""
    cupti: str | None = None
    """Path of the CUPTI library that reads the device's timeline; absent if none was found."""


@dataclass(frozen=True)
class ProgramAsked:
    """The measured program, model or table with its options, as the command line states them."""
    model: str | None = None
    """Path of the model file; empty on the simulated device."""
    device: str | Literal['cpu', 'cuda'] | None = None
    """Device that was requested: cpu, cuda or simulated:SPEC."""
    seed: int | None = None
    """Seed of the random inputs (--seed). Unit: none."""
    threads: int | None = None
    """Number of CPU threads that was requested; 0 stands for the default. Unit: threads."""
    inputs: tuple[str, ...] | None = None
    """Descriptions of the model's inputs, as given with --input."""
    other_ranks: tuple[str, ...] | None = None
    """Paths of the models of ranks 1, 2, ..., which run in step with the model (--other-ranks); absent if there is
    one rank."""
    seq_len: int | None = None
    """Sequence length of the inputs; absent if none was given. Unit: tokens."""
    batch: int | None = None
    """Batch size of the inputs; absent if none was given. Unit: samples."""
    injection: Mapping[str, str] | None = None
    """Environment variables of the injected library; only for a model on CUDA."""
    program: tuple[str, ...] | None = None
    """Command line of the program, one entry for each argument."""
    attached: str | None = None
    """Name under which the program waited (kjoule env --name); empty if only its process id was given."""
    kernels: str | None = None
    """Path of the table, trace or network whose operators are called."""


@dataclass(frozen=True)
class Program:
    """The measured program, model or table."""
    asked: ProgramAsked
    """The measured program, model or table with its options, as the command line states them."""
    model_hash: str | None = None
    """Hash of the model file; of several ranks, of the hashes of their files. Only for a model."""
    calls_hash: str | None = None
    """Hash of the operator calls that were made; only for a kernel table, trace or network."""


@dataclass(frozen=True)
class Run:
    """The first row of results.jsonl without its kind, with the rows of kind load as a list."""
    version: Literal[7]
    """Version of the rows in results.jsonl."""
    kjoule: str
    """Version of kjoule."""
    command: Literal['compare', 'full', 'isolated', 'layers']
    """kjoule's command that made the measurement."""
    title: str
    """Measured program and device, as one text for people."""
    program: Program
    """The measured program, model or table with its options."""
    device: Device
    """The device on which it ran."""
    items: float | None = None
    """Number of tokens or samples in one iteration (--items); absent without --items. Unit: items."""
    rank: int | None = None
    """Number of the measured rank of a program of several ranks; absent for a program of one rank, and if the
    launcher does not state the rank. Unit: 1 (a number from 0)."""
    load: tuple[Load, ...] | None = None
    """Load of the machine or GPU, one entry for each start of the measurement (--resume is another start); absent in
    virtual time (simulated device)."""


@dataclass(frozen=True)
class VerificationDifferentKernel:
    name: str
    """Name of the kernel."""
    launches: int
    """Number of launches of the kernel that are in `different`. Unit: launches."""
    first: int
    """Place of the first launch of the kernel that is in `different`. Unit: place in the iteration, from 0."""


@dataclass(frozen=True)
class Verification:
    """Comparison of each replayed launch's output with the output in the program."""
    launches: int
    """Number of launches in the recorded iteration. Unit: launches."""
    different: tuple[int, ...]
    """Places of the launches whose replay wrote other bits than the program. Unit: place in the iteration, from 0,
    each."""
    failed: tuple[tuple[int, str], ...]
    """Launches whose replay failed, each as [place, error]."""
    non_finite: tuple[int, ...]
    """Places in `different` whose launch wrote many infinities or NaNs in the replay, but none in the program; the
    data types of the outputs are guessed. Unit: place in the iteration, from 0, each."""
    varying: tuple[int, ...]
    """Places in `different` whose launch writes other bits from one replay to the next, or follows such a launch.
    Unit: place in the iteration, from 0, each."""
    different_kernels: tuple[VerificationDifferentKernel, ...]
    """The kernels to which the launches in `different` belong."""
    changes_inputs: bool | None = None
    """True if an iteration that begins with the results of the iteration before it leaves other memory than one that
    begins with restored memory; otherwise absent."""


@dataclass(frozen=True)
class ReplayedTier:
    method: str
    """How kernels of this tier were replayed."""
    unique_kernels: int
    """Number of kernels of the tier. Unit: kernels."""
    summed_kernels: int
    """Number of kernels of the tier that are in isolated_sum_us. Unit: kernels."""
    total_us: float | None
    """Sum of time in isolation x count over the tier's summed kernels; null if there are none. Unit: us."""
    percentage_of_predicted: float | None
    """Share of total_us in isolated_sum_us; null if total_us is null. Unit: %."""


@dataclass(frozen=True)
class ReplaySummaryTierBreakdown:
    """Results of the replay by tier."""
    tier1_cuda_runtime: ReplayedTier
    """Kernels of the CUDA runtime."""
    tier2_cublas: ReplayedTier
    """Kernels of vendor libraries."""
    tier3_libtorch: ReplayedTier
    """Kernels of the framework."""
    unknown: ReplayedTier
    """Kernels of unknown origin."""


@dataclass(frozen=True)
class ReplaySummaryNotReplayable:
    error: str
    """The reason."""
    kernels: int
    """Number of kernels that were not replayed for this reason. Unit: kernels."""
    first: str
    """Name of the first kernel that was not replayed for this reason."""


@dataclass(frozen=True)
class ReplaySummaryShares:
    """Shares of the table's kernels, by the result of their replay."""
    same_percent: float
    """Share of kernels whose replay launched the same kernel. Unit: % of what shares_of names."""
    same_family_percent: float
    """Share of kernels whose replay launched another kernel of their family. Unit: % of what shares_of names."""
    kernel_not_stated_percent: float
    """Share of calls whose kernel the table does not state. Unit: % of what shares_of names."""
    different_percent: float
    """Share of kernels whose operator launched a kernel of another family. Unit: % of what shares_of names."""
    not_replayable_percent: float
    """Share of kernels that were not replayed. Unit: % of what shares_of names."""


@dataclass(frozen=True)
class ReplaySummary:
    """Replay of a trace or kernel table from its signatures."""
    source: str
    """Path of the trace or table."""
    source_format: str
    """Format of the trace or table."""
    isolated_sum_us: float | None
    """Sum of the time of one launch in isolation x count, over kernels whose replay launched the same kernel or one
    of its family, and over calls whose kernel is not stated; null if it is not available. Unit: us."""
    recorded_sum_us: float | None
    """Sum of the times that the trace states, over all kernels; null if a kernel has none. Unit: us."""
    shares_of: Literal['recorded time', 'launches']
    """Quantity of which the shares are parts."""
    shares: ReplaySummaryShares
    """Shares of the table's kernels, by the result of their replay."""
    extra_kernels: int
    """Number of kernels that the replayed calls launched in addition to the table's kernels. Unit: kernels."""
    iterations: int | None
    """Number of iterations over which the counts are averaged; null if the counts are of the whole table. Unit:
    iterations."""
    not_replayable: tuple[ReplaySummaryNotReplayable, ...]
    """Reasons why kernels could not be replayed, each once."""
    tier_breakdown: ReplaySummaryTierBreakdown
    """Results of the replay by tier."""
    iterations_missing: str | None = None
    """Reason why iterations is null."""
    replayed_on: Literal['cpu', 'cuda', 'cpu and cuda'] | None = None
    """Devices on which the kernels were replayed."""
    note: str | None = None
    """Statement that kernels of a GPU were replayed on the CPU; absent if they were not."""


@dataclass(frozen=True)
class ComparisonReportMissingKernel:
    name: str
    """Name of the kernel."""
    short_name: str
    """Short name of the kernel, at most 60 bytes; different from those of the other kernels in this report."""
    count: int
    """Launches of the kernel in one iteration. Unit: launches."""
    error: str
    """Reason why the kernel is missing."""


@dataclass(frozen=True)
class ComparisonReportKernelEnergy:
    """Energy of a kernel."""
    joules: float | None
    """Energy of all launches of the kernel in one iteration. Unit: J."""
    interval_joules: tuple[float | None, float | None]
    """95 % interval of joules. As [low, high]; an end is null if it is infinite. Unit: J."""
    each_joules: float | None
    """Mean energy of one launch. Unit: J."""
    watts: float | None
    """Mean power during the launches; null if their measured time is zero. Unit: W."""
    share_percent: float | None
    """joules as a share of sum_joules. Unit: %."""
    attributed_joules: float | None
    """joules, scaled so that all kernels add up to the whole. Unit: J."""
    kernels_together: int
    """Number of kernels whose energy was measured in the same readings; each has the share of this energy that its
    time in context has. Unit: kernels."""


@dataclass(frozen=True)
class ComparisonReportKernel:
    """A kernel of the iteration."""
    name: str
    """Name of the kernel."""
    tier: Literal[1, 2, 3, 'unknown']
    """Origin of the kernel: 1 CUDA runtime, 2 vendor library, 3 framework, or unknown."""
    count: int
    """Launches of the kernel in one iteration. Unit: launches."""
    iterations: int
    """Number of iterations of which the counts and times are the mean. Unit: iterations."""
    each_us: float | None
    """Mean time of one launch in context, at its place in the unbroken iteration. Unit: us."""
    total_us: float | None
    """Time in context of all launches in one iteration: count x each us. Unit: us."""
    half_width_us: float | None
    """Half-width of the 95 % interval of total_us. Unit: us."""
    share_percent: float | None
    """Share of the sum of all kernels' times. Unit: %."""
    share_of_run_percent: float | None
    """Share of the GPU time of the whole run, if the iteration's part of the run is known. Unit: %."""
    isolated_each_us: float | None
    """Mean time of one launch that is repeated back to back. Unit: us."""
    timeline_total_us: float | None
    """Time of all launches in the replayed whole, by the device's timeline (on a CPU by the rounds). Unit: us."""
    bytes_moved: int | None
    """Bytes that one launch moves, if it is a copy or a memset. Unit: bytes."""
    signature: str
    """Signature of the kernel: launches that share it are one kernel."""
    short_name: str
    """Short name of the kernel, at most 60 bytes; different from those of the other kernels."""
    total_interval_us: tuple[float | None, float | None] | None
    """95 % interval of total_us. As [low, high]; an end is null if it is infinite. Unit: us."""
    timed_together: bool
    """Whether some launches could not be timed separately from their neighbours."""
    family: str | None = None
    """Family of kernels, by the rules for names."""
    category: str | None = None
    """What the kernel does, such as gemm or softmax."""
    dtype: str | None = None
    """Type of its numbers, by the rules for names."""
    error: str | None = None
    """Why the kernel is missing from the sum."""
    energy: ComparisonReportKernelEnergy | None = None
    """Energy of the kernel; absent if it was not measured."""


@dataclass(frozen=True)
class ComparisonReportTierSum:
    """Kernels of one tier."""
    method: str
    """How kernels of this tier were replayed."""
    unique_kernels: int
    """Number of kernels of the tier. Unit: kernels."""
    total_us: float
    """Time in context of the tier's kernels in one iteration. Unit: us."""
    percentage_of_predicted: float | None
    """Share of total_us in sum_us. Unit: %."""


@dataclass(frozen=True)
class ComparisonReportTierBreakdown:
    """The sum by tier."""
    tier1_cuda_runtime: ComparisonReportTierSum
    """Kernels of the CUDA runtime."""
    tier2_cublas: ComparisonReportTierSum
    """Kernels of vendor libraries."""
    tier3_libtorch: ComparisonReportTierSum
    """Kernels of the framework."""
    unknown: ComparisonReportTierSum
    """Kernels of unknown origin."""


@dataclass(frozen=True)
class ComparisonReportProgramIterationsOfRanksCriticalPathKernel:
    rank: str
    """Rank that launches it."""
    name: str
    """Name of the kernel, or kind of the copy."""
    launches: float
    """Number of its launches on the path. Unit: launches."""
    us: float
    """Their time on the path. Unit: us."""


@dataclass(frozen=True)
class ComparisonReportProgramIterationsOfRanksCriticalPathRank:
    rank: str
    """Name of the rank, as in ranks."""
    us: float
    """Time of the path on this rank. Unit: us."""


@dataclass(frozen=True)
class ComparisonReportProgramIterationsOfRanksCriticalPath:
    """The chain of launches that determines the time of the watched iterations, divided by their number;
    docs/design/ranks.md defines it."""
    all_us: float
    """Length of the path. Unit: us."""
    computation_us: float
    """Part of the path in kernels that are not collectives. Unit: us."""
    copies_us: float
    """Part of the path in copies and memsets. Unit: us."""
    moving_data_us: float
    """Part of the path in collectives, from their begin on the last rank; of other kernels of NCCL, all their time.
    Unit: us."""
    idle_us: float
    """Part of the path in which a launch that the host has made waits on the device. Unit: us."""
    launch_gaps_us: float
    """Part of the path in which the GPU has nothing to do because the host has not launched it yet. Unit: us."""
    rank_changes: float
    """Number of times that the path changes to another rank. Unit: changes."""
    ranks: tuple[ComparisonReportProgramIterationsOfRanksCriticalPathRank, ...]
    """The part of the path on each rank, in the order of ranks."""
    kernels: tuple[ComparisonReportProgramIterationsOfRanksCriticalPathKernel, ...]
    """The kernels and copies with the longest time on the path, at most 10."""


@dataclass(frozen=True)
class ComparisonReportProgramIterationsOfRanksCollectiveRank:
    rank: str
    """Name of the rank, as in ranks."""
    waiting_us: float
    """Time for which the rank waits for the last rank in all of them. Unit: us."""
    waiting_interval_us: tuple[float | None, float | None] | None
    """95 % interval of waiting_us, with the error of the clocks. Unit: us."""


@dataclass(frozen=True)
class ComparisonReportProgramIterationsOfRanksCollective:
    operation: str
    """Function of NCCL, or the kernel's name if the function is not known."""
    communicator: str
    """Hash of the communicator, in hexadecimal digits; 0 if it is not known."""
    message_bytes: int | None
    """Size of the data that a rank passes to one of them; null if not known. Unit: bytes."""
    ranks: tuple[ComparisonReportProgramIterationsOfRanksCollectiveRank, ...]
    """The ranks that have these collectives."""


@dataclass(frozen=True)
class ComparisonReportProgramIterationsOfRanksRank:
    rank: str
    """Name of the rank, as in ranks."""
    iteration_us: float
    """Time from the begin of an iteration to the begin of the next one. Unit: us."""
    computation_us: float
    """Time in which at least one kernel runs that is not a collective. Unit: us."""
    communication_us: float
    """Time in which at least one kernel of NCCL that exchanges data runs: hidden_us plus exposed_us. Unit: us."""
    hidden_us: float
    """Part of communication_us in which a kernel that is not a collective runs, too. Unit: us."""
    exposed_us: float
    """Part of communication_us in which no such kernel runs. Unit: us."""
    waiting_us: float | None
    """Time for which the rank waits for the last rank, in collectives that synchronise all ranks; null if it has
    none. Unit: us."""
    waiting_interval_us: tuple[float | None, float | None] | None
    """95 % interval of waiting_us, with the error of the clocks. Unit: us."""


@dataclass(frozen=True)
class ComparisonReportProgramIterationsOfRanks:
    """What the ranks did in the program's own iterations before they were paused, by CUPTI; present if ranks is. All
    values are means of one iteration."""
    missing: str | None = None
    """Reason why this is not known."""
    iterations: int | None = None
    """Number of iterations that were watched. Unit: iterations."""
    clock_error_us: float | None = None
    """Largest error of the difference between the clocks of two ranks. Unit: us."""
    imbalance_percent: float | None = None
    """Largest computation time of a rank, divided by the mean of all ranks, minus 1. Unit: %."""
    ranks: tuple[ComparisonReportProgramIterationsOfRanksRank, ...] | None = None
    """The ranks, in the order of ranks."""
    collectives: tuple[ComparisonReportProgramIterationsOfRanksCollective, ...] | None = None
    """The waiting by operation, communicator and size, for collectives that synchronise all ranks."""
    critical_path: ComparisonReportProgramIterationsOfRanksCriticalPath | None = None
    """The chain of launches that determines the time of the watched iterations, divided by their number;
    docs/design/ranks.md defines it."""


@dataclass(frozen=True)
class ComparisonReportCollectiveRank:
    rank: str
    """Name of the rank, as in ranks."""
    total_us: float
    """Time in context of all of them in one iteration. Unit: us."""
    waiting_us: float | None
    """Part of total_us in which the rank waits for the last rank; null if the operation does not synchronise all
    ranks. Unit: us."""
    waiting_interval_us: tuple[float | None, float | None] | None
    """95 % interval of waiting_us, with the error of the clocks' comparison. Unit: us."""


@dataclass(frozen=True)
class ComparisonReportCollective:
    operation: str
    """Function of NCCL, or the kernel's name if the function is not known."""
    bytes: int | None
    """Size of the data as in nccl-tests: of all-gather and reduce-scatter, that of all ranks together; null if not
    known. Unit: bytes."""
    count: int
    """Number of these collectives in one iteration of a rank. Unit: collectives."""
    moving_us: float | None
    """Time in which one of them moves data: the mean over the ranks of time minus waiting; null if the waiting is
    not known. Unit: us."""
    moving_interval_us: tuple[float | None, float | None] | None
    """95 % interval of moving_us. Unit: us."""
    algorithm_bytes_per_s: float | None
    """bytes / moving_us. Unit: bytes/s."""
    bus_bytes_per_s: float | None
    """algorithm_bytes_per_s times the factor of nccl-tests: 2(n-1)/n for an all-reduce of n ranks, (n-1)/n for the
    others. Unit: bytes/s."""
    clock_error_us: float | None
    """Largest error of the difference between the clocks of two GPUs; null if the clocks were not compared. Unit:
    us."""
    ranks: tuple[ComparisonReportCollectiveRank, ...]
    """The ranks that have these collectives."""


@dataclass(frozen=True)
class ComparisonReportRankEnergy:
    """Energy of one rank or of all ranks together in one iteration; null if there is none."""
    missing: str | None = None
    """Why the energy is missing."""
    source: str | None = None
    """Source of the meter."""
    whole_joules: float | None = None
    """Energy of the whole. Unit: J."""
    whole_interval_joules: tuple[float | None, float | None] | None = None
    """95 % interval of whole_joules. Those of ranks are added, because their errors have common causes. As [low,
    high]; an end is null if it is infinite. Unit: J."""
    whole_watts: float | None = None
    """Mean power of the whole. Unit: W."""
    whole_interval_watts: tuple[float | None, float | None] | None = None
    """95 % interval of whole_watts. As [low, high]; an end is null if it is infinite. Unit: W."""
    whole_us: float | None = None
    """Time of the whole while its energy was read. Unit: us."""
    sum_joules: float | None = None
    """Energy of the sum over kernels, collectives included; null if only the whole was measured. Unit: J."""
    sum_interval_joules: tuple[float | None, float | None] | None = None
    """95 % interval of sum_joules; null if only the whole was measured. As [low, high]; an end is null if it is
    infinite. Unit: J."""
    half_width_percent: float | None = None
    """Half-width of sum_interval_joules; null if it is infinite, or if only the whole was measured. Unit: % of the
    whole."""
    error_percent: float | None = None
    """Sum minus whole, with sign; null if only the whole was measured. Unit: % of the whole."""
    within_percent: float | None = None
    """Distance between sum and whole plus the half-width; null if the half-width is infinite, or if only the whole
    was measured. Unit: % of the whole."""
    verdict: Literal['adds up', 'does not add up', 'inconclusive'] | None = None
    """Verdict of the comparison of sum and whole; null if only the whole was measured."""
    verdict_reason: str | None = None
    """Reason of the verdict, or why only the whole was measured."""


@dataclass(frozen=True)
class ComparisonReportRank:
    rank: str
    """Name of the rank: "rank N", "process N" if the launcher does not state the rank, or "GPU N" if the ranks are
    the GPUs of one process."""
    gpu: str
    """Name of the rank's GPU."""
    gpu_uuid: str
    """UUID of the rank's GPU."""
    results: str
    """Results folder of the rank."""
    launches: int
    """Number of launches in the rank's iteration. Unit: launches."""
    whole_us: float
    """Time of the rank's whole. Unit: us."""
    sum_us: float
    """Time of the rank's sum. Unit: us."""
    sum_half_width_percent: float
    """Half-width of the sum's 95 % interval. Unit: % of the whole."""
    sum_error_percent: float
    """Sum minus whole, with sign. Unit: % of the whole."""
    within_percent: float | None
    """Distance between sum and whole plus the half-width of the sum's interval; null if the half-width is infinite.
    Unit: % of the whole."""
    verdict: Literal['adds up', 'does not add up', 'inconclusive']
    """Verdict of the comparison of the rank's sum and whole."""
    energy: ComparisonReportRankEnergy | None
    """Energy of the rank's whole and sum, collectives and waiting included; null if energy was not requested, or if
    the meter measures the whole machine."""


@dataclass(frozen=True)
class ComparisonReportGroup:
    """The comparison of a program of several ranks as a whole; present if ranks is."""
    slowest_rank: str
    """Rank with the longest whole; whole_us and sum_us are its values."""
    whole_us: float
    """Time of the whole of the group, which is that of its slowest rank. Unit: us."""
    sum_us: float
    """Time of the sum of this rank. Unit: us."""
    sum_half_width_us: float
    """Half-width of the 95 % interval of sum_us. Unit: us."""
    verdict_of: str
    """Rank whose verdict is that of the group: the one whose sum and whole agree least."""
    verdict: Literal['adds up', 'does not add up', 'inconclusive']
    """Verdict of the comparison of this rank's sum and whole."""


@dataclass(frozen=True)
class ComparisonReportPerItem:
    """Times and energies divided by the items of one iteration (run.items); absent without --items."""
    own_iteration_us: float | None
    """Time of the program's own iteration, launch gaps included, per item; null if it was not timed. Unit: us."""
    whole_us: float
    """whole_us per item. Unit: us."""
    sum_us: float
    """sum_us per item. Unit: us."""
    own_iteration_joules: float | None
    """energy.own_iteration_joules per item; null if it is not available. Unit: J."""
    whole_joules: float | None
    """energy.whole_joules per item; null if it is not available. Unit: J."""
    sum_joules: float | None
    """energy.sum_joules per item; null if it is not available. Unit: J."""


@dataclass(frozen=True)
class EstimatedWatts:
    value: float
    """Estimated power. Unit: W."""
    half_width: float | None
    """Half-width of the power's 95 % interval; null if it is infinite. Unit: W."""


@dataclass(frozen=True)
class CalibrationGain:
    """Increase of the sensor's reading per watt of power."""
    value: float
    """The gain. Unit: 1 (W of the reading for each W of power)."""
    half_width: float
    """Half-width of the gain's 95 % interval, without the reference's accuracy. Unit: 1 (W of the reading for each W
    of power)."""


@dataclass(frozen=True)
class Calibration:
    """Straight line that gives the reading of a power sensor for each power of a reference meter: reading =
    at_center_w + gain x (power - center_w)."""
    source: str
    """Source of the sensor's readings, as --source names it."""
    device: str
    """Name of the device with the sensor, or path of the sensor's log."""
    id: str
    """Identity of the sensor within its source; for a GPU its UUID."""
    against: str
    """Name of the reference meter."""
    made: str
    """Local time at which the first load level of the calibration began."""
    levels: int
    """Number of load levels at which sensor and reference were compared. Unit: levels."""
    gain: CalibrationGain
    """Increase of the sensor's reading per watt of power."""
    center_w: float
    """Weighted mean of the load levels' powers by the reference. Unit: W."""
    at_center_w: EstimatedWatts
    """The sensor's reading at center_w; its error is independent of the gain's error."""
    offset_w: EstimatedWatts | None = None
    """The sensor's reading at 0 W; absent if the reference also measures other parts of the machine, because their
    power cannot be distinguished from an offset."""
    reference_accuracy: float | None = None
    """Systematic error of the reference, as a share of its readings; absent if unknown. Unit: 1 (a share, 0 to 1)."""
    efficiency: float | None = None
    """Share of the reference's power that reaches the sensor's device (--efficiency); absent if not given. Unit: 1
    (a share, 0 to 1)."""


@dataclass(frozen=True)
class ComparisonReportEnergyMeter:
    source: str
    """Source of the readings, as --power-source names it."""
    name: str
    """Name of the meter in its source."""
    scope: Literal['GPU', 'CPU', 'whole system', 'unknown']
    """Part of the machine whose power or energy the meter measures."""
    quantity: Literal['power', 'energy counter']
    """Quantity that the meter reports."""
    tick_s: float
    """Sensor interval: time between two changes of the meter's value. Unit: s."""
    averaging_s: float
    """Time over which one reading averages; for an energy counter, tick_s. Unit: s."""
    duty: float | None
    """Share of the time in which the sensor measures; null if unknown. Unit: 1 (a share, 0 to 1)."""
    resolution: float
    """Smallest difference between two readings. Unit: resolution_unit."""
    resolution_unit: Literal['W', 'J']
    """Unit of resolution."""
    sensor_rate_hz: float | None
    """Sampling rate of a sensor that samples the power; null if the sensor averages the power, or if the rate is
    unknown. Unit: Hz."""
    sensor_rate_from: str
    """How the sampling rate was measured, or that the measurement found none; empty if it was never measured."""
    accuracy_percent: float | None
    """Systematic error that all readings share; no interval contains it; null if unknown. Unit: %."""
    accuracy_from: str
    """Who states accuracy_percent; empty if it is unknown."""
    calibration: Calibration | None
    """Gain and offset of the meter by kjoule power calibrate; readings are not corrected by them. Null if the meter
    was not calibrated."""
    whole_joules: float | None
    """Energy of the whole by this meter; null if the meter reported nothing. Unit: J."""


@dataclass(frozen=True)
class ComparisonReportEnergy:
    """Energy of the whole and of its kernels; null if energy was not requested."""
    idle_watts: float | None
    """Idle power, measured while the program was paused; null if it was not measured. Unit: W."""
    whole_clock_mhz: float | None
    """Mean clock of the multiprocessors during readings of the whole; null if unknown. Unit: MHz."""
    kernels_clock_mhz: float | None
    """Mean clock of the multiprocessors during readings of kernels; null if unknown. Unit: MHz."""
    temperature_c: tuple[float | None, float | None]
    """Lowest and highest temperature during the readings, as [lowest, highest]; null if unknown. Unit: degrees
    Celsius."""
    blocks: int
    """Number of blocks of readings. Unit: blocks."""
    measured_s: float
    """Total duration of all blocks. Unit: s."""
    stopped_by: Literal['precision', 'time limit', '']
    """Reason why measuring energy ended; empty if it ended early."""
    meters: tuple[ComparisonReportEnergyMeter, ...]
    """The meters that were read; all other values are of the first meter."""
    notes: tuple[str, ...]
    """Remarks on the readings, one line each: meters that disagree, changed clocks, throttle reasons."""
    missing: str | None = None
    """Reason why there are no energies."""
    own_iteration_joules: float | None = None
    """Energy of the program's own iteration, launch gaps included: mean power while the program ran by itself, times
    the mean time of an iteration; null if it ran by itself for less than 2 s, or if the GPU has no energy counter.
    Unit: J."""
    own_iteration_interval_joules: tuple[float | None, float | None] | None = None
    """95 % interval of own_iteration_joules. As [low, high]; null if own_iteration_joules is null. Unit: J."""
    own_iteration_watts: float | None = None
    """Mean power while the program ran by itself; null if own_iteration_joules is null. Unit: W."""
    own_iteration_above_idle_joules: float | None = None
    """own_iteration_joules minus idle_watts x the time of the iteration; null if either was not measured. Unit: J."""
    whole_joules: float | None = None
    """Energy of the whole: one replayed iteration. Unit: J."""
    whole_interval_joules: tuple[float | None, float | None] | None = None
    """95 % interval of whole_joules. As [low, high]; an end is null if it is infinite. Unit: J."""
    whole_above_idle_joules: float | None = None
    """whole_joules minus idle_watts x whole_us; null if idle power was not measured. Unit: J."""
    sum_joules: float | None = None
    """Sum of the energies of all kernels in one iteration. Unit: J."""
    sum_interval_joules: tuple[float | None, float | None] | None = None
    """95 % interval of sum_joules. As [low, high]; an end is null if it is infinite. Unit: J."""
    by_differences_interval_joules: tuple[float | None, float | None] | None = None
    """95 % interval of the sum, measured only by the differences between iterations with and without launches. As
    [low, high]; an end is null if it is infinite. Unit: J."""
    by_replacement_interval_joules: tuple[float | None, float | None] | None = None
    """95 % interval of the sum, measured only by iterations with copies in place of the launches; null if there is
    one group of kernels, or no reading of all launches together. As [low, high]; an end is null if it is infinite.
    Unit: J."""
    half_width_percent: float | None = None
    """Half-width of sum_interval_joules, as a share of whole_joules; null if it is infinite. Unit: %."""
    error_percent: float | None = None
    """sum_joules - whole_joules, with sign, as a share of whole_joules. Unit: %."""
    verdict: Literal['adds up', 'does not add up', 'inconclusive'] | None = None
    """Verdict of the comparison of sum_joules and whole_joules."""
    requested_within_percent: float | None = None
    """Largest within_percent for the verdict "adds up" (--energy-within). Unit: %."""
    within_percent: float | None = None
    """Distance between sum_joules and whole_joules plus the half-width of the sum's interval, as a share of
    whole_joules; null if the half-width is infinite. Unit: %."""
    verdict_reason: str | None = None
    """Sentence with the numbers from which the verdict follows."""
    whole_watts: float | None = None
    """Mean power of the whole. Unit: W."""
    whole_interval_watts: tuple[float | None, float | None] | None = None
    """95 % interval of whole_watts. As [low, high]; an end is null if it is infinite. Unit: W."""
    sum_watts: float | None = None
    """Mean power of the sum: sum_joules / sum_us. Unit: W."""
    sum_interval_watts: tuple[float | None, float | None] | None = None
    """95 % interval of sum_watts. As [low, high]; an end is null if it is infinite. Unit: W."""
    watts_error_percent: float | None = None
    """sum_watts - whole_watts, with sign, as a share of whole_watts. Unit: %."""
    whole_us: float | None = None
    """Time of the whole while energy was read; it differs from whole_us of the report. Unit: us."""
    sum_us: float | None = None
    """Sum of the kernels' times while energy was read; it differs from sum_us of the report. Unit: us."""
    restore_joules: float | None = None
    """Energy of restoring memory once, after the lead of a window that is not closed; it is subtracted from the
    whole. Unit: J."""
    restore_us: float | None = None
    """Time of restoring memory once, after the lead of a window that is not closed; it is subtracted from the whole.
    Unit: us."""
    added_us: float | None = None
    """Time by which the kernels lengthen the iterations in which they are measured; equal to sum_us if all other
    launches take the same time with and without them. Unit: us."""


@dataclass(frozen=True)
class ComparisonReportControl:
    before_us: float
    """Time of the chain before the launches were measured. Unit: us."""
    after_us: float
    """Time of the chain after the launches were measured. Unit: us."""
    slower_percent: float
    """after_us - before_us, with sign, as a share of before_us. Unit: %."""


@dataclass(frozen=True)
class ComparisonReportTimelineIteration:
    """The program's own iteration while it was recorded; absent if an operation has no times."""
    span_us: float
    """Time from the begin of the first operation to the end of the last one: busy_us + idle_us. Unit: us."""
    busy_us: float
    """Time in which at least one operation ran: work_us - overlap_us. Unit: us."""
    idle_us: float
    """Time in which no operation ran. Unit: us."""
    work_us: float
    """Sum of the operations' durations. Unit: us."""
    overlap_us: float
    """work_us - busy_us: time that operations ran in parallel. Unit: us."""


@dataclass(frozen=True)
class ComparisonReportTimelineAudit:
    """Comparison of the recorded launches with the operations on the device's timeline."""
    equal: bool
    """Whether the device ran exactly the recorded launches."""
    launches: int
    """Number of recorded launches. Unit: launches."""
    activities: int
    """Number of operations that the device ran. Unit: operations."""
    differences_found: int
    """Number of differences between recorded launches and operations. Unit: differences."""
    differences: tuple[str, ...]
    """The first 50 differences, one line each; if there are more, the last line states their number."""


@dataclass(frozen=True)
class ComparisonReportTimeline:
    """The recorded iteration on the device's own timeline; null if the device keeps no timeline."""
    error: str | None = None
    """Reason why the timeline could not be read."""
    audit: ComparisonReportTimelineAudit | None = None
    """Comparison of the recorded launches with the operations on the device's timeline."""
    iteration: ComparisonReportTimelineIteration | None = None
    """The program's own iteration while it was recorded; absent if an operation has no times."""
    replayed_whole_us: float | None = None
    """Sum over the launches of the replayed whole of the duration and the gap before the launch, by the timeline;
    null if unknown. Unit: us."""
    replayed_whole_missing: str | None = None
    """Reason why replayed_whole_us is null."""


@dataclass(frozen=True)
class ComparisonReportOtherStart:
    whole_us: float | None = None
    """Time of one iteration in that start, replayed without gaps. Unit: us."""
    sum_error_percent: float | None = None
    """sum_us of this report minus whole_us of that start, with sign, as a share of the latter. Unit: %."""
    error: str | None = None
    """Reason why the start was not measured."""


@dataclass(frozen=True)
class ComparisonReportStartSpreadOfOtherPrograms:
    """The spread is stated."""
    devices: tuple[str, ...]
    """GPUs on which the tuning programs were started."""
    programs: int
    """Number of tuning programs. Unit: 1."""
    median_percent: float
    """Median over the programs of (longest - shortest iteration of a program's starts) / their mean. Unit: %."""
    worst_percent: float
    """Largest value over the programs of (longest - shortest iteration of a program's starts) / their mean. Unit: %."""
    same_board_sd_percent: float
    """Standard deviation of the whole between starts on one board, from all programs. Unit: %."""
    other_board_sd_percent: float
    """Standard deviation of the whole between boards, from all programs. Unit: %."""


@dataclass(frozen=True)
class ComparisonReportHalfOfPlaces:
    mean_error_percent: float
    """Mean over kernels, weighted by time, of |predicted - measured| / measured. Unit: %."""
    sum_error_percent: float
    """Sum of all predicted minus sum of all measured times, with sign, as a share of the latter. Unit: %."""
    once_share_percent: float
    """Share of the time that belongs to kernels with one launch, which are not tested. Unit: %."""


@dataclass(frozen=True)
class ComparisonReportIterationDivision:
    """Parts into which the time of the program's own iteration is divided. Kernels, device copies and transfers are
    measured by replay; the host's part in copies and the launch gaps are measured on the timeline of the program's
    own iterations. Null if this timeline is not known."""
    iterations: int
    """Number of iterations on the timeline. Unit: iterations."""
    iteration_us: float
    """Mean time of these iterations while the profiler logged them. Unit: us."""
    kernels_us: float
    """Sum of the times in context of all kernels without copies and memsets. Unit: us."""
    device_copies_us: float
    """Time of copies within the device, and of memsets. Unit: us."""
    transfers_us: float
    """Time of copies between host and device, replayed from page-locked memory. Unit: us."""
    pageable_host_part_us: float
    """Host's part in copies of pageable memory: the time of these copies with their calls, in which no kernel ran,
    minus their replayed time. Page-locked memory saves at most this time. Unit: us."""
    launch_gaps_us: float
    """Time in which neither a kernel nor a copy ran, outside calls that copy pageable memory, minus the gaps between
    launches that remain in the replay. Unit: us."""
    overlap_us: float
    """Time by which the program's streams run the replayed parts in parallel; it is subtracted from the parts. Unit:
    us."""
    unexplained_percent: float
    """iteration_us minus the sum of the parts. Unit: percent of it."""


@dataclass(frozen=True)
class ComparisonReportIterationSpread:
    """Spread of the GPU times of the loop's iterations before the measured one, by CUPTI; null unless the program
    was measured while it was in its loop."""
    iterations: int
    """Number of iterations whose GPU times are known. Unit: iterations."""
    low_busy_us: float
    """10 % quantile of the iterations' GPU times. Unit: us."""
    median_busy_us: float
    """Median of the iterations' GPU times. Unit: us."""
    high_busy_us: float
    """90 % quantile of the iterations' GPU times. Unit: us."""
    spread_percent: float
    """Distance between the 10 % and 90 % quantiles, as a share of the median; if it is above 5, one iteration does
    not represent all. Unit: %."""


@dataclass(frozen=True)
class ComparisonReportPart:
    """The part of the run that was measured: a phase in a further start of the program, or a window; null if the
    loop of the first start was measured."""
    kind: Literal['loop', 'single pass', 'window']
    """Whether the measured launches are one iteration of a loop, all launches of a single pass, or another window of
    launches."""
    first_launch: int
    """Number of the part's first measured launch in the run, as --iterations counts. Unit: launches."""
    launches: int
    """Number of measured launches; each node of a CUDA graph counts as one. Unit: launches."""
    iterations: int
    """Number of iterations of the loop in the first start; 1 for a single pass or a window. Unit: iterations."""
    run_share_percent: float | None
    """GPU time of the loop, or of the pass's measured launches, as a share of the GPU time of the first start; null
    for a window, during which the profiler was off. Unit: %."""
    measured_busy_us: float | None
    """GPU time of the measured launches in the first start, by CUPTI; null for a window. Unit: us."""
    part_busy_us: float | None
    """GPU time of all iterations of the loop, or of the whole pass, in the first start, by CUPTI; null for a window.
    Unit: us."""
    spread_percent: float | None
    """Distance between the 10 % and 90 % quantiles of the iterations' GPU times, as a share of their median; if it
    is above 5, one iteration does not represent all; null for a single pass. Unit: %."""
    part_us: float | None
    """Estimated time of all iterations of the loop: whole_us x part_busy_us / measured_busy_us; null for a single
    pass. Unit: us."""


@dataclass(frozen=True)
class ComparisonReportRange:
    """A range. Ranges with the same name within the same range are one entry."""
    path: tuple[str, ...]
    """Names of the enclosing ranges, the outermost first, and the range's own name."""
    launches: int
    """Launches in the range in one iteration. Unit: launches."""
    total_us: float | None
    """Time in context of the range's launches in one iteration; null if a launch was not measured. Unit: us."""
    half_width_us: float | None
    """Half-width of the 95 % interval of total_us; null if total_us is null or the half-width is infinite. Unit: us."""
    energy_joules: float | None
    """Energy of the range's launches in one iteration, each launch with the mean energy of its kernel; null if it is
    not available. Unit: J."""
    energy_half_width_joules: float | None
    """Half-width of the 95 % interval of energy_joules; null if it is not available. Unit: J."""


@dataclass(frozen=True)
class ComparisonReportQuantity:
    name: Literal['program_iteration_us', 'whole_us', 'sum_us']
    """Key under which this report contains the time."""
    us: float | None
    """The time; null if it was not measured. Unit: us."""
    meaning: str
    """Explanation of the time."""


@dataclass(frozen=True)
class ComparisonReport(Report):
    """The sum over the kernels of one iteration, compared with the measured whole. kjoule compare writes this file.
    docs/reference/formats.md explains the three times and the verdict."""
    _rows: ClassVar[str | None] = "top_kernels"
    schema: Literal[4]
    """Version of this report's format."""
    quantities: tuple[ComparisonReportQuantity, ...]
    """The three times of the program, in the order in which they are printed."""
    compared: tuple[str, ...]
    """Keys of the two times of which one is compared with the other."""
    program_iteration_us: float | None
    """Mean time of one iteration as the program ran it, launch gaps included, by the host's clock; if the host
    launches ahead of the device, mean distance between iterations on the device, by the profiler; null if no
    iteration was timed. Unit: us."""
    whole_us: float
    """Time of the recorded iteration, replayed without launch gaps. Unit: us."""
    whole_interval_us: tuple[float | None, float | None]
    """95 % interval of whole_us. As [low, high]; an end is null if it is infinite. Unit: us."""
    sum_us: float
    """Sum of the times in context of all launches of one iteration. Unit: us."""
    sum_interval_us: tuple[float | None, float | None]
    """95 % interval of sum_us: the interval of the ratio sum / whole, times whole_us. As [low, high]; an end is null
    if it is infinite. Unit: us."""
    sum_half_width_percent: float | None
    """Half-width of sum_interval_us, as a share of whole_us; null if it is infinite. Unit: %."""
    requested_half_width_percent: float
    """Half-width of the sum's interval at which measuring stops (--precision), as a share of whole_us. Unit: %."""
    requested_within_percent: float
    """Largest within_percent for the verdict "adds up" (--within). Unit: %."""
    within_percent: float | None
    """Distance between sum and whole plus the half-width of the sum's interval, as a share of the whole; null if the
    half-width is infinite. Unit: %."""
    sum_error_us: float
    """sum_us - whole_us, with sign. Unit: us."""
    sum_error_percent: float
    """sum_us - whole_us, with sign, as a share of whole_us. Unit: %."""
    full_model_inference_us: float | None
    """The same as program_iteration_us: the actual time of an iteration, under the name of the published report.
    Unit: us."""
    predicted_from_kernels_us: float
    """The same as sum_us: the predicted time of an iteration, under the name of the published report. Unit: us."""
    error_percent: float | None
    """Absolute difference between predicted_from_kernels_us and full_model_inference_us, as a share of the latter;
    it contains the launch gaps of the program. Unit: %."""
    verdict: Literal['adds up', 'does not add up', 'inconclusive']
    """Verdict of the comparison of sum and whole; docs/reference/formats.md states the conditions."""
    verdict_reason: str
    """Sentence with the numbers from which the verdict follows."""
    ranges: tuple[ComparisonReportRange, ...]
    """NVTX ranges that were open around launches of the iteration; each range follows the one that contains it. A
    range includes the launches of the ranges within it."""
    findings: tuple[str, ...]
    """Reasons to doubt values that were measured, one line each."""
    iteration: str
    """Which launches are the iteration, and why; empty if unknown."""
    part: ComparisonReportPart | None
    """The part of the run that was measured: a phase in a further start of the program, or a window; null if the
    loop of the first start was measured."""
    iteration_spread: ComparisonReportIterationSpread | None
    """Spread of the GPU times of the loop's iterations before the measured one, by CUPTI; null unless the program
    was measured while it was in its loop."""
    own_iteration_us: float | None
    """Time of the program's own iteration, measured alternately with the whole; null on a GPU, and if the program
    cannot be run again. Unit: us."""
    own_iteration_interval_us: tuple[float | None, float | None] | None
    """95 % interval of own_iteration_us. As [low, high]; an end is null if it is infinite. Unit: us."""
    overlapped_whole_us: float | None
    """Time of one iteration, replayed with the program's own streams in parallel; null if its launches do not
    overlap. Unit: us."""
    overlapped_whole_interval_us: tuple[float | None, float | None] | None
    """95 % interval of overlapped_whole_us. As [low, high]; an end is null if it is infinite. Unit: us."""
    launch_gaps_us: float | None
    """Launch gaps of the program's own iteration: its time, minus the time in which the device works in it, minus
    the host's part in copies of pageable memory; null if the iteration was not timed, or if the result is not
    positive. Unit: us."""
    iteration_division: ComparisonReportIterationDivision | None
    """Parts into which the time of the program's own iteration is divided. Kernels, device copies and transfers are
    measured by replay; the host's part in copies and the launch gaps are measured on the timeline of the program's
    own iterations. Null if this timeline is not known."""
    isolated_sum_us: float | None
    """Sum over kernels of the time of one launch repeated back to back, x count; null if a kernel has no such time.
    Unit: us."""
    half_of_places: ComparisonReportHalfOfPlaces | None
    """Test that predicts one half of each kernel's launches from the mean of the other half; null if no kernel has
    two launches."""
    timed_together_percent: float
    """Share of sum_us that belongs to launches which cannot be timed separately. Unit: %."""
    start_spread_of_other_programs: ComparisonReportStartSpreadOfOtherPrograms | None
    """Spread of the time of an iteration between starts of the tuning programs, from data/start_spread.json; null
    with --starts, and on devices other than GPUs."""
    other_starts: tuple[ComparisonReportOtherStart, ...]
    """Further starts of the program (--starts)."""
    timeline_difference_percent: float | None
    """Sum over kernels of |time in context - time by the device's timeline|, as a share of sum_us; the timeline's
    times are first scaled to the same sum; null if there is no timeline. Unit: %."""
    timeline: ComparisonReportTimeline | None
    """The recorded iteration on the device's own timeline; null if the device keeps no timeline."""
    undisturbed_whole_us: float | None
    """Time of one replayed iteration, measured before any other graph existed on the device; null if launches are
    not timed by stamps. Unit: us."""
    control: ComparisonReportControl | None
    """Time of a chain of 600 empty kernels before and after the rounds; null if launches are not timed by stamps."""
    whole_clock_mhz: float | None
    """Mean clock of the multiprocessors while the whole was timed; null if unknown. Unit: MHz."""
    sum_clock_mhz: float | None
    """Mean clock of the multiprocessors while the launches were timed; null if unknown. Unit: MHz."""
    energy: ComparisonReportEnergy | None
    """Energy of the whole and of the sum over kernels; null if energy was not requested."""
    paused_s: float | None
    """Time from the moment when the program was paused until the end of the last measurement; null if it was not
    paused. Unit: s."""
    rounds: int
    """Number of rounds from which times are estimated. Unit: rounds."""
    stopped_by: Literal['precision', 'time limit', 'instrument']
    """Reason why the rounds ended; "instrument": nearly all of the half-width is a part that more rounds do not
    reduce."""
    residual: tuple[str, ...]
    """Causes of the difference between sum and whole, and the checks that were made, one line each."""
    tier_breakdown: ComparisonReportTierBreakdown
    """The sum by tier."""
    top_kernels: tuple[ComparisonReportKernel, ...]
    """The kernels with the longest time in context, in descending order; --top states their number."""
    missing_kernels: tuple[ComparisonReportMissingKernel, ...]
    """Kernels that are missing from the sum."""
    verification: Verification | None
    """Comparison of each replayed launch's output with the output in the program; null if the replay was not
    verified."""
    run: Run
    """Measured program, device and version of kjoule."""
    kernel_time: str | None = None
    """Definition of begin and end of a launch's time; present only if launches were timed by stamps."""
    per_item: ComparisonReportPerItem | None = None
    """Times and energies divided by the items of one iteration (run.items); absent without --items."""
    group: ComparisonReportGroup | None = None
    """The comparison of a program of several ranks as a whole; present if ranks is."""
    ranks: tuple[ComparisonReportRank, ...] | None = None
    """Results of all ranks of a program of several ranks, the rank of this report first; absent for a program of one
    rank."""
    energy_of_ranks: ComparisonReportRankEnergy | None = None
    """Energy of all ranks together: the sum over ranks or, if the meter measures the whole machine, its energy; null
    if energy was not requested; absent for a program of one rank."""
    collectives: tuple[ComparisonReportCollective, ...] | None = None
    """The collectives of all ranks, by operation, communicator and size; present if ranks is."""
    program_iterations_of_ranks: ComparisonReportProgramIterationsOfRanks | None = None
    """What the ranks did in the program's own iterations before they were paused, by CUPTI; present if ranks is. All
    values are means of one iteration."""
    replayed_from_signatures: ReplaySummary | None = None
    """Replay of a trace or kernel table from its signatures; present only with --kernels."""

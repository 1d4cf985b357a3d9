"""The judging half: programs that tests/gpu/run measures, but whose results are not used to choose constants of kjoule.

If kjoule has to be changed to measure one of them, that program moves to the tuning half (catalogue.py), and another takes its place.
"""
from catalogue import HERE, Workload, made, script

FOLDER = HERE / "workloads/judging"


def python(title, name, iterations, refused=""):
    """Returns a Python program of workloads/judging/."""
    return script(title, f"judging/{name}.py", str(iterations), half="judging", refused=refused)


def cuda(title, name, iterations, *arguments, refused=""):
    """Returns a CUDA C++ program of workloads/judging/cuda/."""

    def prepare(cache, environment):
        made(["make", "-s", "-C", FOLDER / "cuda", f"OUT={cache.resolve()}", cache.resolve() / name], environment=environment)

    return Workload(title, lambda cache: ["--", cache / name, str(iterations), *arguments], prepare, half="judging", refused=refused)


JUDGING = {
    "decode-compiled": python("decoder compiled with CUDA graph trees, moving position", "decode_compiled", 20000),
    "unet-train": python("diffusion UNet training, 16 images", "unet_train", 2500),
    "experts": python("mixture of 8 experts, routing read by the host", "experts", 5000),
    "state-space": python("state space model of 12 identical blocks", "state_space", 4000),
    "graph-train": python("graph network training, sums by atomics", "graph_train", 10000),
    "triton-layers": python("gated layers in Triton alone", "triton_layers", 20000),
    "cupy-waves": python("wave equation in CuPy", "cupy_waves", 20000),
    "numba-particles": python("particles and their field in Numba", "numba_particles", 30000),
    "detector": python("Faster R-CNN with MobileNet V3, 2 images", "detector", 2000),
    "segmentation-train": python("DeepLab V3 training, 4 images", "segmentation_train", 1500),
    "lstm-train": python("LSTM language model training (cuDNN)", "lstm_train", 6000),
    "fp8-products": python("layers of products in fp8", "fp8_products", 15000),
    "int8-products": python("layers of products in int8", "int8_products", 15000),
    "long-attention-train": python("attention over 16,384 tokens, forward and backward", "long_attention_train", 2000),
    "foreach-optimizer": python("foreach AdamW over 200 parameters", "foreach_optimizer", 8000),
    "whisper-encoder": python("Whisper's encoder, 4 recordings", "whisper_encoder", 6000),
    "text-buckets": python("text encoder, 64 sentences in 4 buckets", "text_buckets", 4000),
    "t5-forward": python("T5, encoder and decoder", "t5_forward", 4000),
    "convnext-tiny": python("ConvNeXt, batch 16", "convnext", 6000),
    "two-towers": python("CLIP's two towers in two streams", "two_towers", 5000),
    "lora-train": python("fine-tuning by low-rank adapters, Llama shape", "lora_train", 2500),
    "recommender-train": python("recommender training, 26 embedding bags", "recommender_train", 2500),
    "mixer-train": python("MLP-Mixer training, scaled loss", "mixer_train", 4000),
    "video-resnet": python("ResNet-18 with 3D convolutions", "video", 10000),
    "expandable-train": python("transformer training, memory in expandable segments", "expandable_train", 4000),
    "stencil": cuda("C++: heat in a block, stencil", "stencil", 60000),
    "bodies": cuda("C++: 16,384 bodies, all pairs", "bodies", 80000),
    "sort-scan": cuda("C++: sort and scan with CUB", "sort_scan", 60000, "outside"),
    "conjugate-gradients": cuda("C++: sparse products and conjugate gradients (cuSPARSE, cuBLAS)", "conjugate_gradients", 40000),
    "monte-carlo": cuda("C++: Monte Carlo with cuRAND", "monte_carlo", 80000),
    "spectral": cuda("C++: split steps with cuFFT", "spectral", 30000),
    "image-filters": cuda("C++: chain of image filters", "image_filters", 60000),
    "lt-train": cuda("C++: training with cuBLASLt", "lt_train", 60000),
    "cooperative-clusters": cuda("C++: cooperative launches and clusters", "groups", 40000),
    "managed": cuda("C++: waves in managed memory, two points touched by the host", "managed", 40000),
    "graph-memory": cuda("C++: two CUDA graphs that allocate memory", "graph_memory", 40000),
    "variables": cuda("C++: persistent blocks, variables of device code", "variables", 40000),
    "two-threads": cuda("C++: two launching threads that meet in each iteration", "two_threads", 40000),
    "jax-infer": python("JAX: transformer encoder", "jax_infer", 10000),
    "jax-train": python("JAX: training of a convolutional network", "jax_train", 10000),
    "sort-scan-allocating": cuda("C++: sort and scan with Thrust, memory in each call", "sort_scan", 60000, "inside"),
    "sort-scan-pool": cuda("C++: sort and scan with CUB, memory from the device's pool", "sort_scan", 60000, "pool"),
}

# The estimate of energy was changed after the energies of these programs were seen, so they cannot judge it. They still judge
# times: no constant that concerns times was chosen by looking at them.
LOOKED_AT_FOR_ENERGY = frozenset({"cupy-waves", "numba-particles", "int8-products", "lora-train", "conjugate-gradients"})

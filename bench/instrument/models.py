"""Iterations of real models, captured as CUDA graphs."""
import torch

DEVICE = "cuda"


def resnet():
    import torchvision
    model = torchvision.models.resnet50().half().to(DEVICE).eval().to(memory_format=torch.channels_last)
    images = torch.randn(8, 3, 224, 224, device=DEVICE, dtype=torch.half).to(memory_format=torch.channels_last)
    return lambda: model(images)


def llama():
    from transformers import LlamaConfig, LlamaModel
    config = LlamaConfig(hidden_size=2048, intermediate_size=5632, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8)
    model = LlamaModel(config).to(torch.bfloat16).to(DEVICE).eval()
    embedded = torch.randn(1, 1, 2048, device=DEVICE, dtype=torch.bfloat16)
    position = torch.zeros(1, 1, device=DEVICE, dtype=torch.long)
    return lambda: model(inputs_embeds=embedded, position_ids=position, use_cache=False).last_hidden_state


def training_step():
    from torch import nn
    layer = nn.TransformerEncoderLayer(512, 8, 2048, 0.0, batch_first=True, norm_first=True)
    model = nn.TransformerEncoder(layer, 6).to(DEVICE).to(torch.bfloat16)
    batch = torch.randn(8, 256, 512, device=DEVICE, dtype=torch.bfloat16)

    def step():
        with torch.enable_grad():
            loss = model(batch).float().square().mean()
            gradients = torch.autograd.grad(loss, list(model.parameters()))
        torch._foreach_add_(list(model.parameters()), gradients, alpha=-1e-9)
    return step


def small_additions():
    """600 additions of 1 MB: the control graph, whose launches show when something lengthens the distance between launches."""
    values = torch.zeros(1 << 18, device=DEVICE)

    def run():
        for _ in range(600):
            values.add_(1)
    return run


def equal_additions():
    """200 additions of 16 MB, over ten buffers in turn."""
    values = [torch.zeros(1 << 22, device=DEVICE) for _ in range(10)]

    def run():
        for i in range(200):
            values[i % 10].add_(1)
    return run


MODELS = {"resnet50": resnet, "llama": llama, "training": training_step, "additions": equal_additions}


def captured(make):
    """Returns a graph that holds one iteration of what `make` returns, after three were run, and what keeps its memory."""
    torch.manual_seed(0)
    run = make()
    with torch.no_grad():
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(3):
                run()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        with torch.cuda.graph(graph):
            run()
    torch.cuda.synchronize()
    return graph, run

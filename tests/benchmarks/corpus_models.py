"""Public models, shallow and of realistic width, with random weights: the first half of the corpus.

    inductor-lab capture corpus_models:fp32.llama                     from this folder: inference, float32
    inductor-lab capture corpus_models:train.autocast.llama --train   in training mode under autocast, forward and backward
    inductor-lab capture corpus_models:bf16.llama --dynamic           in bfloat16, with sizes left open

`corpus.py` captures them all. Each function returns (model, inputs). transformers, timm and torchvision are imported where they are used:
`corpus_requirements.txt` pins them. Nothing is downloaded, a model is made from its configuration.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import math
import sys
from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils._pytree import tree_leaves, tree_map

Program = tuple[Callable[..., Any], tuple[Any, ...]]


# Packages that may be missing


def torchvision() -> ModuleType:
    """The package, also beside a torch without CUDA: PyPI's wheel registers operators from a library that then can not be loaded."""
    try:
        import torchvision
    except RuntimeError as error:
        if "operator torchvision::nms does not exist" not in str(error):
            raise
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        for name in ("nms", "qnms"):
            DEFINED.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        import torchvision
    return torchvision


DEFINED = torch.library.Library("torchvision", "FRAGMENT")
"""Lives as long as the process: its operators are gone with it."""


def transformers() -> ModuleType:
    """The package, which imports torchvision where that is installed."""
    with contextlib.suppress(ModuleNotFoundError):
        torchvision()
    import transformers

    return transformers


def timm() -> ModuleType:
    """The package, which needs torchvision."""
    torchvision()
    import timm

    return timm


# Language: transformers


class Keywords(nn.Module):
    """A model of transformers, called with named inputs: its loss in training, else the first of its outputs."""

    def __init__(self, model: nn.Module, *names: str) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs: Tensor) -> Tensor:
        """The inputs in the order of the names; labels only count in training."""
        given = dict(zip(self.names, inputs, strict=True))
        if not self.training:
            given.pop("labels", None)
        return self.model(**given, return_dict=False)[0]


def _language(kind: str, length: int = 64, head: str = "ForCausalLM", **config: Any) -> Program:
    """A causal language model `kind` of transformers, two sentences with their labels."""
    package = transformers()
    settings = {"vocab_size": 2000, "use_cache": False} | config
    model = getattr(package, f"{kind}{head}")(getattr(package, f"{kind}Config")(**settings))
    tokens = torch.randint(1, settings["vocab_size"], (2, length))
    return Keywords(model, "input_ids", "labels"), (tokens, tokens.clone())


def llama() -> Program:
    """RMS norm, rotary positions, grouped heads, SwiGLU."""
    return _language(
        "Llama", hidden_size=512, intermediate_size=1376, num_hidden_layers=2, num_attention_heads=8, num_key_value_heads=2
    )  # fmt: skip


def llama_decode() -> Program:
    """One token behind a cache of fixed length, as it is served."""
    package = transformers()
    config = package.LlamaConfig(
        vocab_size=2000, hidden_size=512, intermediate_size=1376, num_hidden_layers=2, num_attention_heads=8,
        num_key_value_heads=2,
    )  # fmt: skip
    model = package.LlamaForCausalLM(config)

    class Decode(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, token: Tensor, place: Tensor) -> Tensor:
            """token [batch, 1], place [1] -> logits."""
            cache = package.StaticCache(config=config, max_cache_len=128)
            return self.model(token, past_key_values=cache, position_ids=place[None], use_cache=True).logits

    return Decode(), (torch.randint(2000, (4, 1)), torch.tensor([17]))


def gpt2() -> Program:
    """Learned positions, tanh GELU, three dropouts a layer."""
    return _language("GPT2", head="LMHeadModel", n_embd=384, n_layer=2, n_head=6, n_positions=256)


def gemma2() -> Program:
    """Softcaps, a sliding window, four norms a layer, scaled embeddings."""
    return _language(
        "Gemma2", hidden_size=256, intermediate_size=1024, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=64, sliding_window=32,
    )  # fmt: skip


def qwen3() -> Program:
    """Norms of query and key."""
    return _language(
        "Qwen3", hidden_size=512, intermediate_size=1536, num_hidden_layers=2, num_attention_heads=8,
        num_key_value_heads=4, head_dim=64,
    )  # fmt: skip


def bloom() -> Program:
    """ALiBi in place of positions."""
    return _language("Bloom", hidden_size=384, n_layer=2, n_head=6)


def phi() -> Program:
    """Rotary positions over a part of each head; attention and MLP side by side."""
    return _language("Phi", hidden_size=384, intermediate_size=1536, num_hidden_layers=2, num_attention_heads=6)


def mixtral() -> Program:
    """A mixture of experts: a router, and each expert on the tokens that chose it."""
    return _language(
        "Mixtral", hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=8,
        num_key_value_heads=2, num_local_experts=4, output_router_logits=True, experts_implementation="batched_mm",
    )  # fmt: skip


def mamba() -> Program:
    """A state space: convolutions, and a recurrence step by step."""
    return _language("Mamba", length=12, hidden_size=256, num_hidden_layers=2, state_size=16)


def mamba2() -> Program:
    """A state space in chunks: segment sums under triangles."""
    return _language(
        "Mamba2", hidden_size=256, num_hidden_layers=1, num_heads=8, head_dim=64, state_size=64, n_groups=1, chunk_size=32
    )  # fmt: skip


def bert() -> Program:
    """Post-norm, a mask of padding, the loss of masked words."""
    package = transformers()
    config = package.BertConfig(
        vocab_size=2000, hidden_size=384, num_hidden_layers=2, num_attention_heads=6, intermediate_size=1536
    )
    tokens, mask = torch.randint(1, 2000, (4, 64)), torch.ones(4, 64, dtype=torch.int64)
    mask[0, 40:] = 0
    labels = tokens.masked_fill(torch.rand(4, 64) > 0.15, -100)
    return Keywords(package.BertForMaskedLM(config), "input_ids", "attention_mask", "labels"), (tokens, mask, labels)


def deberta() -> Program:
    """Disentangled attention: gathers by relative position."""
    package = transformers()
    config = package.DebertaV2Config(
        vocab_size=2000, hidden_size=256, num_hidden_layers=2, num_attention_heads=4, intermediate_size=1024,
        relative_attention=True, position_buckets=32, pos_att_type=["p2c", "c2p"], max_position_embeddings=128,
    )  # fmt: skip
    tokens = torch.randint(1, 2000, (2, 64))
    return Keywords(package.DebertaV2ForMaskedLM(config), "input_ids", "labels"), (tokens, tokens.clone())


def t5() -> Program:
    """An encoder and a decoder, with buckets of relative positions."""
    package = transformers()
    config = package.T5Config(
        vocab_size=2000, d_model=256, d_kv=64, d_ff=1024, num_layers=2, num_heads=4, use_cache=False,
        feed_forward_proj="gated-gelu", decoder_start_token_id=0,
    )  # fmt: skip
    source, target = torch.randint(1, 2000, (2, 48)), torch.randint(1, 2000, (2, 32))
    names = ("input_ids", "decoder_input_ids", "labels")
    return Keywords(package.T5ForConditionalGeneration(config), *names), (source, target, target.clone())


def whisper() -> Program:
    """Convolutions over a spectrum, an encoder, a decoder that attends to it."""
    package = transformers()
    config = package.WhisperConfig(
        vocab_size=2000, d_model=256, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, use_cache=False,
        decoder_attention_heads=4, encoder_ffn_dim=1024, decoder_ffn_dim=1024, max_source_positions=100,
        pad_token_id=1, bos_token_id=1, eos_token_id=1, decoder_start_token_id=1,
    )  # fmt: skip
    tokens = torch.randint(2, 2000, (2, 24))
    names = ("input_features", "decoder_input_ids", "labels")
    inputs = (torch.randn(2, 80, 200), tokens, tokens.clone())
    return Keywords(package.WhisperForConditionalGeneration(config), *names), inputs


def wav2vec2() -> Program:
    """Sound: strided convolutions, a group norm, a convolution with normed weights for positions."""
    package = transformers()
    config = package.Wav2Vec2Config(
        hidden_size=256, num_hidden_layers=2, num_attention_heads=4, intermediate_size=1024, mask_time_prob=0.0,
        layerdrop=0.0, conv_dim=(128,) * 4, conv_stride=(5, 2, 2, 2), conv_kernel=(10, 3, 3, 2), num_conv_pos_embeddings=32,
    )  # fmt: skip
    return Keywords(package.Wav2Vec2Model(config), "input_values"), (torch.randn(2, 8000),)


def clip() -> Program:
    """Pictures and words into one space; quick GELU; a loss both ways."""
    package = transformers()
    shared = {"hidden_size": 256, "intermediate_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = package.CLIPConfig(
        text_config={**shared, "vocab_size": 2000, "max_position_embeddings": 32, "eos_token_id": 2},
        vision_config={**shared, "image_size": 96, "patch_size": 16}, projection_dim=128,
    )  # fmt: skip

    class Loss(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = package.CLIPModel(config)

        def forward(self, tokens: Tensor, pictures: Tensor) -> Tensor:
            """The contrastive loss in training, else the similarities."""
            found = self.model(input_ids=tokens, pixel_values=pictures, return_loss=self.training)
            return found.loss if self.training else found.logits_per_image

    return Loss(), (torch.randint(3, 2000, (8, 20)), torch.randn(8, 3, 96, 96))


def segformer() -> Program:
    """Overlapping patches, attention over a smaller picture, levels enlarged and joined."""
    package = transformers()
    config = package.SegformerConfig(
        depths=[1, 1, 1, 1], hidden_sizes=[32, 64, 128, 160], decoder_hidden_size=128, num_labels=19
    )
    names = ("pixel_values", "labels")
    inputs = (torch.randn(2, 3, 96, 96), torch.randint(19, (2, 96, 96)))
    return Keywords(package.SegformerForSemanticSegmentation(config), *names), inputs


# Pictures: torchvision and timm


class Classified(nn.Module):
    """A classifier of pictures with its loss in training."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, pictures: Tensor, labels: Tensor) -> Tensor:
        """pictures [batch, 3, height, width], labels [batch] -> the loss, or the logits."""
        logits = self.model(pictures)
        return functional.cross_entropy(logits, labels, label_smoothing=0.1) if self.training else logits


def _pictures(model: nn.Module, size: int = 96, batch: int = 4) -> Program:
    return Classified(model), (torch.randn(batch, 3, size, size), torch.randint(10, (batch,)))


def _timm(name: str, size: int = 96, **options: Any) -> Program:
    return _pictures(timm().create_model(name, pretrained=False, num_classes=10, **options), size)


def resnet_basic() -> Program:
    """Two convolutions a block, batch norms, a residual."""
    resnet = torchvision().models.resnet
    return _pictures(resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1], num_classes=10))


def resnet_bottleneck() -> Program:
    """Three convolutions a block, four times as wide behind it: ResNet-50's block."""
    resnet = torchvision().models.resnet
    return _pictures(resnet.ResNet(resnet.Bottleneck, [1, 1, 1, 1], num_classes=10))


def mobilenet_v3() -> Program:
    """Depthwise convolutions, hard swish, squeeze and excitation."""
    return _pictures(torchvision().models.mobilenet_v3_small(weights=None, num_classes=10))


def efficientnet() -> Program:
    """Inverted residuals with swish, squeeze and excitation, stochastic depth."""
    package = torchvision().models.efficientnet
    stages = [(1, 3, 1, 32, 16), (6, 3, 2, 16, 24), (6, 5, 2, 24, 40), (6, 3, 2, 40, 80)]
    blocks = [package.MBConvConfig(*stage, 1) for stage in stages]
    return _pictures(package.EfficientNet(blocks, dropout=0.2, num_classes=10, last_channel=640))


def convnext() -> Program:
    """Depthwise 7 x 7, layer norm over channels in two layouts, a layer's scale."""
    package = torchvision().models.convnext
    blocks = [package.CNBlockConfig(48, 96, 1), package.CNBlockConfig(96, 192, 1), package.CNBlockConfig(192, None, 1)]
    return _pictures(package.ConvNeXt(blocks, num_classes=10))


def densenet() -> Program:
    """Every layer reads all before it: cats of cats."""
    package = torchvision().models.densenet
    return _pictures(package.DenseNet(16, (3, 3), 32, num_classes=10))


def shufflenet() -> Program:
    """Channels split, shuffled and joined."""
    package = torchvision().models.shufflenetv2
    return _pictures(package.ShuffleNetV2([2, 2, 2], [24, 48, 96, 192, 512], num_classes=10))


def inception_block() -> Program:
    """GoogLeNet's branches, joined."""
    torchvision()
    package = importlib.import_module("torchvision.models.googlenet")  # the function of that name hides it
    stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=True))
    blocks = (package.Inception(64, 32, 48, 64, 8, 16, 16), package.Inception(128, 64, 64, 96, 16, 48, 32))
    return _pictures(nn.Sequential(stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(240, 10)))


def swin_v2() -> Program:
    """Windows, cosine attention, a bias made by an MLP of the relative positions."""
    package = torchvision().models.swin_transformer
    model = package.SwinTransformer(
        [4, 4], 48, [2, 2], [3, 6], [4, 4], stochastic_depth_prob=0.1, num_classes=10,
        block=package.SwinTransformerBlockV2, downsample_layer=package.PatchMergingV2,
    )  # fmt: skip
    return _pictures(model, 64)


def lraspp() -> Program:
    """Segmentation over MobileNet: an attention that is a pool, bilinear enlargement."""
    package = torchvision().models.segmentation
    model = package.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=21)

    class Pixels(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, pictures: Tensor, labels: Tensor) -> Tensor:
            """labels [batch, height, width], 255 where nobody knows."""
            logits = self.model(pictures)["out"]
            return functional.cross_entropy(logits, labels, ignore_index=255) if self.training else logits.argmax(1)

    return Pixels(), (torch.randn(2, 3, 96, 96), torch.randint(21, (2, 96, 96)))


def vit() -> Program:
    """Patches as words."""
    return _timm("vit_tiny_patch16_224", img_size=96, depth=2)


def swin() -> Program:
    """Windows rolled from layer to layer, with a table of relative positions."""
    return _timm("swin_tiny_patch4_window7_224", 112, img_size=112, depths=(2, 2), num_heads=(3, 6))


def mixer() -> Program:
    """MLPs across patches and across channels."""
    mixer = timm().models.mlp_mixer
    return _pictures(mixer.MlpMixer(num_classes=10, img_size=96, num_blocks=2, embed_dim=256))


def regnet() -> Program:
    """Grouped convolutions, squeeze and excitation."""
    package = timm().models.regnet
    config = dataclasses.replace(package.model_cfgs["regnety_002"], depth=7)
    return _pictures(package.RegNet(config, num_classes=10))


def nfnet() -> Program:
    """Weights standardised in the forward pass, no batch norm."""
    package = timm().models.nfnet
    config = dataclasses.replace(package.model_cfgs["nf_seresnet26"], depths=(1, 1, 1, 1))
    return _pictures(package.NormFreeNet(config, num_classes=10))


def mobilevit() -> Program:
    """Convolutions and attention over unfolded patches."""
    return _timm("mobilevit_xxs")


def beit() -> Program:
    """A bias by relative position, a layer's scale, no class token at the end."""
    return _timm("beit_base_patch16_224", img_size=96, embed_dim=192, depth=2, num_heads=3)


def xcit() -> Program:
    """Attention between channels."""
    return _timm("xcit_nano_12_p16_224", img_size=96, depth=2)


def eva_rope() -> Program:
    """Rotary positions of two dimensions."""
    return _timm("eva02_tiny_patch14_224", 56, img_size=56, depth=2)


# Written here


class Residual(nn.Module):
    """A diffusion model's block: norms, swish, convolutions, the time added between them."""

    def __init__(self, inside: int, outside: int, time: int) -> None:
        super().__init__()
        self.first, self.second = nn.GroupNorm(8, inside), nn.GroupNorm(8, outside)
        self.narrow, self.wide = (
            nn.Conv2d(inside, outside, 3, padding=1),
            nn.Conv2d(outside, outside, 3, padding=1),
        )
        self.time = nn.Linear(time, outside)
        self.skip = nn.Conv2d(inside, outside, 1) if inside != outside else nn.Identity()

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        """x [batch, inside, height, width], time [batch, width]."""
        y = self.narrow(functional.silu(self.first(x))) + self.time(functional.silu(time))[:, :, None, None]
        return self.skip(x) + self.wide(functional.silu(self.second(y)))


class UNet(nn.Module):
    """Down, attention over all places, and up again, with what was kept on the way."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        time = 4 * width
        self.width = width
        self.time = nn.Sequential(nn.Linear(width, time), nn.SiLU(), nn.Linear(time, time))
        self.enter, self.leave = nn.Conv2d(4, width, 3, padding=1), nn.Conv2d(width, 4, 3, padding=1)
        self.down, self.middle = Residual(width, 2 * width, time), Residual(2 * width, 2 * width, time)
        self.up = Residual(3 * width, width, time)
        self.smaller = nn.Conv2d(width, width, 3, 2, 1)
        self.norm, self.last = nn.GroupNorm(8, 2 * width), nn.GroupNorm(8, width)
        self.qkv, self.out = nn.Linear(2 * width, 6 * width), nn.Linear(2 * width, 2 * width)

    def forward(self, x: Tensor, step: Tensor) -> Tensor:
        """x [batch, 4, height, width], step [batch] -> the noise in x."""
        rate = torch.exp(torch.arange(self.width // 2, device=x.device) * (-math.log(10_000) / (self.width // 2)))
        angle = step[:, None].to(x.dtype) * rate.to(x.dtype)
        time = self.time(torch.cat([angle.cos(), angle.sin()], -1))
        kept = self.enter(x)
        y = self.down(self.smaller(kept), time)
        tokens = self.norm(y).flatten(2).transpose(1, 2)
        q, k, v = self.qkv(tokens).unflatten(-1, (3, 4, -1)).permute(2, 0, 3, 1, 4).unbind(0)
        tokens = self.out(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        y = self.middle(y + tokens.transpose(1, 2).unflatten(2, y.shape[2:]), time)
        y = functional.interpolate(y, scale_factor=2.0, mode="nearest")
        y = self.up(torch.cat([y, kept], 1), time)
        return self.leave(functional.silu(self.last(y)))


def unet() -> Program:
    """A small diffusion model."""
    return UNet(), (torch.randn(2, 4, 32, 32), torch.randint(1000, (2,)))


class Recurrent(nn.Module):
    """A cell of torch, called step by step, and a classifier on its last state."""

    def __init__(self, cell: nn.Module, width: int) -> None:
        super().__init__()
        self.cell, self.head, self.width = cell, nn.Linear(width, 10), width

    def forward(self, x: Tensor) -> Tensor:
        """x [batch, steps, features] -> [batch, 10]."""
        state = x.new_zeros(x.shape[0], self.width)
        memory = torch.zeros_like(state)
        for step in x.unbind(1):
            if isinstance(self.cell, nn.LSTMCell):
                state, memory = self.cell(step, (state, memory))
            else:
                state = self.cell(step, state)
        return self.head(state).log_softmax(-1)


def lstm() -> Program:
    """Long short-term memory, unrolled."""
    return Recurrent(nn.LSTMCell(64, 256), 256), (torch.randn(32, 6, 64),)


def gru() -> Program:
    """Gated recurrent units, unrolled."""
    return Recurrent(nn.GRUCell(64, 256), 256), (torch.randn(32, 6, 64),)


class WrittenLSTM(nn.Module):
    """The cell from its gates, so that every gate is in the generated code."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.gates, self.norm = nn.Linear(inputs + width, 4 * width), nn.LayerNorm(width)
        self.width = width

    def forward(self, x: Tensor) -> Tensor:
        """x [batch, steps, inputs] -> [batch, steps, width]."""
        state = x.new_zeros(x.shape[0], self.width)
        memory, outputs = torch.zeros_like(state), []
        for step in x.unbind(1):
            enter, forget, change, leave = self.gates(torch.cat([step, state], -1)).chunk(4, -1)
            memory = torch.sigmoid(forget) * memory + torch.sigmoid(enter) * torch.tanh(change)
            state = torch.sigmoid(leave) * torch.tanh(self.norm(memory))
            outputs.append(state)
        return torch.stack(outputs, 1)


def written_lstm() -> Program:
    """A recurrence whose gates are fused around each product."""
    return WrittenLSTM(64, 256), (torch.randn(32, 6, 64),)


class Experts(nn.Module):
    """Top-2 experts with a capacity: tokens are dispatched and combined with one-hot products, as Switch does."""

    def __init__(self, width: int, count: int) -> None:
        super().__init__()
        self.router, self.count = nn.Linear(width, count), count
        self.enter = nn.Parameter(torch.randn(count, width, 2 * width) * 0.02)
        self.leave = nn.Parameter(torch.randn(count, 2 * width, width) * 0.02)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """x [tokens, width] -> the same shape, and the loss that balances the experts."""
        chance = self.router(x).float().softmax(-1)
        weight, chosen = chance.topk(2, -1)
        weight = weight / weight.sum(-1, keepdim=True)
        capacity = 2 * x.shape[0] // self.count
        mask = functional.one_hot(chosen, self.count)
        place = (mask.flatten(0, 1).cumsum(0) - 1).view_as(mask)
        kept = (place < capacity) & (mask > 0)
        seat = functional.one_hot((place * mask).sum(-1).clamp(max=capacity - 1), capacity)
        combine = torch.einsum("tk,tke,tkc->tec", weight, kept.float(), seat.float()).to(x.dtype)
        inside = torch.einsum("tec,tw->ecw", (combine > 0).to(x.dtype), x)
        outside = functional.silu(inside @ self.enter) @ self.leave
        balance = (chance.mean(0) * mask.float().sum(1).mean(0)).sum() * self.count
        return x + torch.einsum("tec,ecw->tw", combine, outside), balance


def experts() -> Program:
    """A mixture of experts without a loop."""
    return Experts(256, 8), (torch.randn(256, 256),)


class Autoencoder(nn.Module):
    """A variational autoencoder with its loss: noise in the middle, transposed convolutions behind."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(
            *(nn.Conv2d(3, 32, 4, 2, 1), nn.BatchNorm2d(32), nn.LeakyReLU(0.2)),
            *(nn.Conv2d(32, 64, 4, 2, 1), nn.BatchNorm2d(64), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(4096, 128)),
        )
        self.up = nn.Sequential(
            *(nn.Linear(64, 4096), nn.Unflatten(1, (64, 8, 8)), nn.ConvTranspose2d(64, 32, 4, 2, 1)),
            *(nn.BatchNorm2d(32), nn.ReLU(), nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh()),
        )

    def forward(self, x: Tensor) -> Tensor:
        """x [batch, 3, 32, 32] -> the negative evidence bound."""
        mean, log_variance = self.down(x).chunk(2, -1)
        z = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(-1)
        return functional.mse_loss(self.up(z), x.tanh(), reduction="none").sum((1, 2, 3)).add(divergence).mean()


def autoencoder() -> Program:
    """Convolutions both ways."""
    return Autoencoder(), (torch.randn(8, 3, 32, 32),)


def transformer_encoder() -> Program:
    """torch's own layer, with a mask of padding."""
    layer = nn.TransformerEncoderLayer(256, 4, 1024, 0.1, "gelu", batch_first=True, norm_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.randn(4, 100, 256),)


# Optimisers: they compile by themselves


def _step(make: Callable[..., torch.optim.Optimizer], **options: Any) -> None:
    """One optimiser over a model's parameters, its step compiled and made twice."""
    card = "cuda" if torch.cuda.is_available() else "cpu"
    shapes = [(512, 256), (512,), (256, 512), (256,), (64, 3, 3, 3), (64,), (1000, 64), (7, 11), (1,)] * 3
    parameters = [nn.Parameter(torch.randn(shape, device=card)) for shape in shapes]
    optimizer = make(parameters, **options)
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    step = torch.compile(optimizer.step)
    step()
    step()


def adamw() -> None:
    """Decoupled decay, two moments a parameter, one kernel for many tensors."""
    _step(torch.optim.AdamW, lr=1e-3, foreach=True)


def adamw_capturable() -> None:
    """The step's number and the rate as tensors on the card."""
    card = "cuda" if torch.cuda.is_available() else "cpu"
    _step(torch.optim.AdamW, lr=torch.tensor(1e-3, device=card), foreach=True, capturable=True, amsgrad=True)


def sgd() -> None:
    """Nesterov's momentum and decay."""
    _step(torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=1e-4, nesterov=True, foreach=True)


def rmsprop() -> None:
    """Centred, parameter by parameter."""
    _step(torch.optim.RMSprop, lr=1e-3, centered=True, momentum=0.9, foreach=False)


def training_step() -> None:
    """Forward, backward, clipping and AdamW in one graph."""
    card = "cuda" if torch.cuda.is_available() else "cpu"
    model = nn.Sequential(nn.Linear(200, 300), nn.LayerNorm(300), nn.GELU(), nn.Dropout(0.1), nn.Linear(300, 10)).to(
        card
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    @torch.compile
    def step(x: Tensor, labels: Tensor) -> Tensor:
        loss = functional.cross_entropy(model(x), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return loss.detach()

    for _ in range(2):
        step(torch.randn(100, 200, device=card), torch.randint(10, (100,), device=card))


# Variants


class Autocast(nn.Module):
    """A model under autocast, whose list of operators is the device's own."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: Any) -> Any:
        """What the model returns."""
        device = next(x.device.type for x in tree_leaves(inputs) if isinstance(x, Tensor))
        with torch.autocast(device, dtype=torch.bfloat16):
            return self.model(*inputs)


def _variant(made: Callable[[], Program], train: bool, dtype: str) -> Callable[[], Program]:
    def cast(x: Any) -> Any:
        return x.bfloat16() if isinstance(x, Tensor) and x.dtype == torch.float32 else x

    @functools.wraps(made)
    def program() -> Program:
        model, inputs = made()
        assert isinstance(model, nn.Module)
        model.train(train)
        if dtype == "bf16":
            return model.bfloat16(), tree_map(cast, inputs)
        return (Autocast(model).train(train) if dtype == "autocast" else model), inputs

    return program


def _variants(train: bool, dtypes: Sequence[str]) -> SimpleNamespace:
    return SimpleNamespace(
        **{made.__name__: _variant(made, train, dtypes[0]) for made in MODELS},
        **{dtype: _variants(train, (dtype,)) for dtype in dtypes[1:]},
    )


MODELS: tuple[Callable[[], Program], ...] = tuple(
    made
    for name, made in list(globals().items())
    if getattr(made, "__annotations__", {}).get("return") == "Program" and not name.startswith("_")
)
"""Every function above that returns a program."""

train = _variants(True, ("fp32", "bf16", "autocast"))
"""In training mode: `train.llama`, `train.bf16.llama`, `train.autocast.llama`."""
bf16 = _variants(False, ("bf16",))
autocast = _variants(False, ("autocast",))
fp32 = _variants(False, ("fp32",))
"""In evaluation mode: `fp32.llama`, `bf16.llama`, `autocast.llama`."""

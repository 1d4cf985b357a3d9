"""Hostile contents of files: wrong types, missing and repeated fields, wrong numbers, encodings, and files that were cut off."""
import gzip
import json
import unittest

from ..test_energy import FULL, stamp, wattsup
from .cases import CONFIGURATION, KERNELS, NETWORK, SAMPLES, Case, HostileCases, network, replaced

NAN = float("nan")


NETWORKS = [network(old, new, rf"n\.yaml(:\d+)?: .*{names}") for old, new, names in [
    ("name: n\n", "", "name"), ("name: n\n", "name: [a]\n", "name"), ("name: n\n", "name: ''\n", "name"), ("name: n\n", "name: n\nname: m\n", "name is given twice"),
    ("name: n\n", "name: n\nlayer: 3\n", "layer: this field is not known"), ("name: n\n", "name: n\nabout: {a: b}\n", "about"),
    ("sizes: {batch: 2, width: 8}", "sizes: [2, 8]", "sizes"), ("sizes: {batch: 2, width: 8}", "sizes: 5", "sizes"), ("batch: 2", "batch: -2", "batch"), ("batch: 2", "batch: 0", "batch"),
    ("batch: 2", "batch: 1.5", "batch"), ("batch: 2", "batch: nan", "batch"), ("batch: 2", "batch: [2]", "batch"), ("batch: 2", "batch: 2 kg", "batch"), ("batch: 2", "batch: ''", "batch"),
    ("batch: 2", "batch: 99999999999999999999", "batch"), ("batch: 2", "batch: later", "batch"), ("batch: 2", "batch: 2, batch: 3", "batch is given twice"), ("batch: 2, ", "", "batch"),
    ("layers:\n", "other:\n", "other"), ("{name: act, kind: gelu, shape: [batch, 3*width]}", "5", "layer"),
    ("{name: act, kind: gelu, shape: [batch, 3*width]}", "[a, b]", "layer"), ("{name: act, kind: gelu, shape: [batch, 3*width]}", "", "layer"),
    ("name: act, ", "", "layer.*name"), ("name: act", "name: [a]", "layer.*name"), ("name: act", "name: fc", "fc"), ("kind: gelu, ", "", "act.*kind"), ("kind: gelu", "kind: jelu", "act.*jelu"),
    ("kind: gelu", "kind: [gelu]", "act.*kind"), ("kind: gelu", "kind: gelu, kind: gelu", "kind is given twice"), (", shape: [batch, 3*width]", "", "act.*shape"),
    ("[batch, 3*width]", "5", "act.*shape"), ("[batch, 3*width]", "{a: 3}", "act.*shape"), ("[batch, 3*width]", "[a]", "act.*shape.*\"a\""),
    ("[batch, 3*width]", "[batch, [3]]", "act.*shape"), ("[batch, 3*width]", "[-1, 3]", "act.*shape"), ("[batch, 3*width]", "[1.5]", "act.*shape"), ("[batch, 3*width]", "[0]", "act.*shape"),
    ("[batch, 3*width]", "[batch, 3*]", "act.*shape"), ("[batch, 3*width]", "[batch, (3*width]", "act.*shape"), ("[batch, 3*width]", "[batch/3]", "act.*shape"),
    ("[batch, 3*width]", "[batch/0]", "act.*shape"), ("[batch, 3*width]", "[width-batch*99]", "act.*shape"), ("[batch, 3*width]", "[1000000000, 1000000000, 1000000000]", "act.*too large"),
    ("[batch, 3*width]", "[.inf]", "act.*shape"), ("[batch, 3*width]", "[null]", "act.*shape"), ("[batch, 3*width]", "[true]", "act.*shape"), ("K: width, ", "", "fc.*K"),
    ("K: width", "K: [1]", "fc.*K"), ("K: width", "K: 0", "fc.*K"), ("K: width", "K: 8 bytes", "fc.*K"), ("K: width", "k: width", "fc.*K"), ("K: width", "K: width, colour: 3", "fc.*colour"),
    ("K: width", "K: width, bias: maybe", "fc.*bias"), ("K: width", "K: width, bias: 1", "fc.*bias"), ("K: width", "K: width, bias: [true]", "fc.*bias"),
    ("- {name: fc", "- {repeat: 2}\n  - {name: fc", "repeat"), ("- {name: fc", "- {repeat: 0, layers: [{name: a, kind: gelu, shape: [2]}]}\n  - {name: fc", "repeat"),
    ("- {name: fc", "- {repeat: x, layers: [{name: a, kind: gelu, shape: [2]}]}\n  - {name: fc", "repeat"), ("- {name: fc", "- {repeat: [2], layers: [{name: a, kind: gelu, shape: [2]}]}\n  - {name: fc", "repeat"),
    ("- {name: fc", "- {repeat: -1, layers: [{name: a, kind: gelu, shape: [2]}]}\n  - {name: fc", "repeat"), ("- {name: fc", "- {repeat: 3, layers: []}\n  - {name: fc", "layers"),
    ("- {name: fc", "- {repeat: 3, layers: 5}\n  - {name: fc", "layers"), ("- {name: fc", "- {repeat: 3, name: a, layers: [{name: a, kind: gelu, shape: [2]}]}\n  - {name: fc", "name"),
    ("- {name: fc", "- {repeat: 1000000000, layers: [{name: a, kind: matmul, M: 100000, K: 100000, N: 100000}]}\n  - {name: fc", "large|layers"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: operator, arguments: [1]", "act.*operator"), ("kind: gelu, shape: [batch, 3*width]", "kind: operator, operator: aten::relu", "act.*arguments"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: operator, operator: aten::relu, arguments: 5", "act.*arguments"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: operator, operator: aten::relu, arguments: [{tensr: [2]}]", "act.*tensr"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: operator, operator: aten::relu, arguments: [{tensor: 5}]", "act.*tensor"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: operator, operator: aten::relu, arguments: [{tensor: [-2]}]", "act.*tensor"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: operator, operator: [a], arguments: [{tensor: [2]}]", "act.*operator"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: operator, operator: aten::relu, arguments: [{tensor: [2], dtype: Colour}]", "act.*Colour"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: operator, operator: aten::relu, arguments: [{dtype: Half}]", "act.*tensor"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: cat, shapes: [], axis: 0", "act.*shapes"), ("kind: gelu, shape: [batch, 3*width]", "kind: cat, shapes: 5, axis: 0", "act.*shapes"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: cat, shapes: [[2], [2]], axis: 5", "act.*axis"), ("kind: gelu, shape: [batch, 3*width]", "kind: cat, shapes: [[2], 3], axis: 0", "act.*shapes"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: softmax, rows: 3", "act.*width"), ("kind: gelu, shape: [batch, 3*width]", "kind: attention, heads: 2", "act.*"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: conv, C: 3, M: 4, P: 8, Q: 8, R: 4, S: 4, HS: 0, WS: 4", "act.*HS"),
    ("kind: gelu, shape: [batch, 3*width]", "kind: conv, C: 3, M: 4, P: 8, Q: 8, R: 4, S: 4, HS: 4", "act.*WS"),
]] + [Case("layers n.yaml --device cpu", r"n\.yaml", {"n.yaml": text}) for text in [
    "", "null\n", "5\n", "- a\n", "just text\n", "name: n\n", "name: n\nlayers: {}\n", "name: n\nlayers:\n", "[name: n, layers: []]\n", "name: n\n---\nname: m\n", "? [a]\n: b\n", "name: n\nlayers: [*a]\n",
    NETWORK.replace("fc", "f\x00c"), "name,kind\nfc,matmul\n", json.dumps({"traceEvents": []}), gzip.compress(NETWORK.encode()),
    NETWORK.replace("  - {", "\t- {")]]

SWEEPS = [Case("sample s.yml --device cpu --precision fp32", rf"s\.yml(:\d+)?: .*{names}", {"s.yml": replaced(CONFIGURATION, old, new)}) for old, new, names in [
    ("kernel_name: gelu\n", "", "kernel_name"), ("kernel_name: gelu\n", "kernel_name: ''\n", "kernel_name"), ("kernel_name: gelu\n", "kernel_name: ../x\n", "kernel_name"),
    ("function_name: gelu", "function_name: gelo", "gelo"), ("first_n_column: 4", "first_n_column: 40", "first_n_column"), ("first_n_column: 4", "first_n_column: -1", "first_n_column"),
    ("first_n_column: 4", "first_n_column: four", "first_n_column"), ("starts: [1, 1, 8, 8]", "starts: [1, 1, 8]", "starts"), ("starts: [1, 1, 8, 8]", "starts: [1, 1, 8, x]", "starts"),
    ("starts: [1, 1, 8, 8]", "starts: [1, 1, 8, -8]", "starts"), ("starts: [1, 1, 8, 8]", "starts: [1, 1, 800, 8]", "starts"), ("starts: [1, 1, 8, 8]", "starts: [1, 1, 8, 8.5]", "starts"),
    ("starts: [1, 1, 8, 8]", "starts: 5", "starts"), ("starts: [1, 1, 8, 8]", "starts: [1, 1, 8, 1e30]", "starts"), ("steps: [2, 2, 8, 8]", "steps: [2, 2, 0, 8]", "starts|steps"),
    ("steps: [2, 2, 8, 8]", "steps: [1, 2, 8, 8]", "starts|steps"), ("steps: [2, 2, 8, 8]", "steps: [2, 2, 8, -8]", "starts"), ("ends: [2, 2, 24, 16]", "ends: [2, 2, 9999999999999, 16]", "starts"),
    ("ends: [2, 2, 24, 16]", "ends: [2, 2, 80000, 80000]", "ends"), ("ends: [2, 2, 24, 16]", "ends: {a: b}", "ends"), ("[mul, mul, add, add]", "[mul, mul, add, sub]", "operators.*sub"),
    ("[mul, mul, add, add]", "[mul, mul]", "operators"), ("active: 6", "active: 0", "active"), ("active: 6", "active: -6", "active"), ("active: 6", "active: .nan", "active"),
    ("active: 6", "active: 6\nactive: 7", "active is given twice"), ("active: 6", "activ: 6", "activ"), ("warmup: 1", "warmup: [1]", "warmup"), ("run: get_all", "run: all", "run"),
    ("run: get_all", "run: get_all\noperator: aten::relu", "arguments"), ("run: get_all", "run: get_all\narguments: [2]", "arguments"), ("F_dur(us), B_dur(us)", "F_dur(ms), B_dur(us)", "columns_name"),
    ("F_dur(us), B_dur(us)", "B_dur(us), F_dur(us)", "columns_name"), ("[mp, b, l, dim,", "[mp, b, dim, l,", "columns_name"), ("[mp, b, l, dim,", "[mp, b, l, l,", "columns_name"),
    ("[mp, b, l, dim,", "['', b, l, dim,", "columns_name"), ("warmup_shapes: [1, 1, 8, 8]", "warmup_shapes: [1, 1]", "warmup_shapes"),
]] + [Case("sample s.yml --device cpu", r"s\.yml", {"s.yml": text}) for text in ["", "[]\n", "a\n", "a: b\n", "\x00"]]

TABLES = [Case("kernels k.csv", rf"k\.csv(:\d+)?: .*{names}", {"k.csv": text}) for text, names in [
    ("name,count,mean_us\n", "no kernels"), ("name,count,mean_us", "no kernels|header"), ("\n\n", ""), ("count,mean_us\n1,2\n", "name"),
    ("name;count;mean_us\na;1;2\n", "separated"), (KERNELS.replace(",5,", ",five,"), "mean_us"), (KERNELS.replace(",5,", ",-5,"), "mean_us"),
    (KERNELS.replace(",5,", ",nan,"), "mean_us"), (KERNELS.replace(",5,", ",inf,"), "mean_us"), (KERNELS.replace(",5,", ",1e400,"), "mean_us"),
    (KERNELS.replace(",5,", ",5 parsecs,"), "mean_us"), (KERNELS.replace("gemm,2", "gemm,-2"), "count"), (KERNELS.replace("gemm,2", "gemm,0"), "count"),
    (KERNELS.replace("gemm,2", "gemm,two"), "count"), (KERNELS.replace("gemm,2", "gemm,1e30"), "count"), (KERNELS.replace("gemm,2", "gemm,nan"), "count"),
    (KERNELS.replace("gemm,2", ",2"), "name"), (KERNELS.replace("1x1x1,128x1x1", "1x1,128"), "grid"),
    (KERNELS.replace("1x1x1,128x1x1", "1x1x1,-128x1x1"), "block"), (KERNELS.replace("1x1x1,128x1x1", "1x1x1,99999999999x1x1"), "block"),
    (KERNELS.replace("1x1x1,128x1x1", "1x1x1"), "cells|columns"), (KERNELS.replace("1x1x1,128x1x1", "1x1x1,128x1x1,7,8"), "cells|columns"),
    (KERNELS.replace("gemm", '"gemm'), "quotation"), (KERNELS.replace("name,count,mean_us", "name,name,mean_us"), "name"), (KERNELS.replace("mean_us", "count"), "count"),
    (KERNELS.encode("utf-16"), ""), ("<html><body>404</body></html>\n", ""), ("%PDF-1.4\n", ""),
    ("PK\x03\x04\x00\x00", ""), ("SQLite format 3\x00" + "x" * 200, ""), (gzip.compress(b""), ""), (gzip.compress(b"hello")[:-4], ""),
    (b"\x1f\x8b" + b"x" * 40, "gzip"), (gzip.compress(gzip.compress(KERNELS.encode())), ""), (KERNELS.replace("add,1,3", "add,1,9e17"), ""),
]]

JSON_FILES = [Case("kernels t.json", rf"t\.json(:\d+)?: .*{names}", {"t.json": text if isinstance(text, (str, bytes)) else json.dumps(text)}) for text, names in [
    ("{", ""), ("[", ""), ("{}", ""), ("[]", ""), ("null", ""), ("5", ""), ('"text"', ""), ({"traceEvents": 5}, "traceEvents"), ({"traceEvents": {}}, "traceEvents"), ({"traceEvents": []}, "no kernels"),
    ({"traceEvents": [5]}, "event"), ({"traceEvents": [None]}, "event"), ({"traceEvents": [[]]}, "event"), ('{"traceEvents":[],"traceEvents":[]}', "twice"), ('{"traceEvents":[]} x', "after"),
    ('{"traceEvents":[{"ph":"X"}]}', ""), ('{"traceEvents":[],}', ""), ("{'traceEvents': []}", ""), ('{"traceEvents":[]', ""), ('{"traceEvents" []}', ""), ({"kernels": 5}, "array"), ({"kernels": []}, "no kernels"),
    ({"kernels": [{"name": "a"}, 5]}, "kernel"), ({"kernels": [{"name": 5}]}, "name"), ({"kernels": [{"count": 5}]}, "name"), ({"kernels": [{"name": "a", "count": "x"}]}, "count"),
    ({"kernels": [{"name": "a", "count": -1}]}, "count"), ({"kernels": [{"name": "a", "count": 1.5e300}]}, "count"), ({"kernels": [{"name": "a", "count": NAN}]}, "count"),
    ({"kernels": [{"name": "a", "mean_us": -1}]}, "mean_us"), ({"kernels": [{"name": "a", "mean_us": NAN}]}, "mean_us"), ({"kernels": [{"name": "a", "mean_us": [1]}]}, "mean_us"),
    ({"kernels": [{"name": "a", "grid": [1, 2]}]}, "grid"), ({"kernels": [{"name": "a", "grid": "1"}]}, "grid"), ({"kernels": [{"name": "a", "grid": [1, 1, -1]}]}, "grid"),
    ({"kernels": [{"name": "a", "tier": 9}]}, "tier"), ({"kernels": [{"name": "a", "kind": "soup"}]}, "kind"),
    ('{"kernels":[{"name":"a","name":"b"}]}', "twice"), ("\x00" * 50, "binary"), ("\ufeff{", ""),
    ('{"kernels":[{"name":"a","count":1}]}{"kernels":[]}', "after"), ("[" * 100, "nest"), ('{"kernels":[{"name":"\\ud800"', ""),
]]


def event(**changes: object) -> Case:
    """Returns the case of a trace whose one kernel has these fields."""
    fields = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10.5, "dur": 2, "args": {"device": 0, "stream": 7, "correlation": 1, "grid": [1, 1, 1], "block": [1, 1, 1]}}
    fields |= {name: value for name, value in changes.items() if name in fields}
    fields["args"] = {**fields["args"], **{name: value for name, value in changes.items() if name not in fields}} if isinstance(fields["args"], dict) else fields["args"]
    return Case("kernels t.json", rf"t\.json(:\d+)?: .*{next(iter(changes))}", {"t.json": json.dumps({"traceEvents": [{k: v for k, v in fields.items() if v is not None}]})})


TRACES = [event(**change) for change in [
    {"name": None}, {"name": ""}, {"name": 5}, {"ts": None}, {"ts": "soon"}, {"ts": NAN}, {"ts": 1e300}, {"ts": [1]}, {"dur": None}, {"dur": -1}, {"dur": "x"}, {"dur": 1e300}, {"dur": NAN}, {"args": 5},
    {"args": []}, {"device": "x"}, {"device": 1.5}, {"device": 1e30}, {"stream": "main"}, {"grid": [1, 1]}, {"grid": [1, 1, 0]}, {"grid": [1, 1, 1e30]}, {"grid": "1x1x1"}, {"block": [1, 1, "x"]},
    {"correlation": "x"}]]

TIMINGS = [Case("energy --power-log {power} --timing t.json -o out", rf"t\.json.*{names}", {"t.json": text if isinstance(text, str) else json.dumps(text)}) for text, names in [
    ({}, ""), ([], ""), ({**FULL, "num_runs": 0}, "num_runs"), ({**FULL, "num_runs": -5}, "num_runs"), ({**FULL, "num_runs": 1.5}, "num_runs"), ({**FULL, "num_runs": "many"}, "num_runs"),
    ({**FULL, "num_runs": NAN}, "'N'"), ({**FULL, "full_model_inference_us": -1}, "full_model_inference_us"), ({**FULL, "full_model_inference_us": "fast"}, "full_model_inference_us"),
    ({**FULL, "start_timestamp": 5}, "start_timestamp"), ({**FULL, "start_timestamp": ""}, "start_timestamp"), ({**FULL, "start_timestamp": "yesterday"}, "start_timestamp"),
    ({**FULL, "start_timestamp": "2026-13-45 99:99:99"}, "start_timestamp"), ({**FULL, "end_timestamp": stamp(50)}, "ends"), ({**FULL, "end_timestamp": None}, "end_timestamp"),
    ({"kernels": 5}, "start_timestamp"), ({"kernels": []}, "no kernel"), ({"kernels": [5]}, "kernel"), ({"kernels": [{"name": "a"}]}, ""), ('{"num_runs": 5, "num_runs": 6}', ""), ("{", ""), ("\ufeff", ""),
]]

SAMPLED = [Case("train d", rf"G_mine_fp16\.csv(:\d+)?: .*{names}", {"d/G_mine_fp16.csv": text}) for text, names in [
    ("", "empty"), ("\n", ""), ("rows,columns,F_dur(us)\n", "no rows"), (SAMPLES.replace("F_dur(us)", "F_dur(ms)"), "F_dur"), (SAMPLES.replace("F_dur(us)", "time"), "time"),
    (SAMPLES.replace("rows,columns,", ""), "sizes|cells"), (SAMPLES.replace("F_dur(us),B_dur(us)", "a,b"), "times|a"), (SAMPLES.replace("rows,columns", "rows,rows"), "rows"),
    (SAMPLES.replace("64,128,", "64,", 1), "cells"), (SAMPLES.replace("64,128,", "64,128,9,", 1), "cells"), (SAMPLES.replace("64,128,", "x,128,", 1), "rows"), (SAMPLES.replace("64,128,", "-64,128,", 1), "rows"),
    (SAMPLES.replace("64,128,", "1.5,128,", 1), "rows"), (SAMPLES.replace("64,128,", "nan,128,", 1), "rows"), (SAMPLES.replace("64,128,10", "64,128,-10", 1), "us above 0|time"),
    (SAMPLES.replace("64,128,10.192", "64,128,0", 1), "time"), (SAMPLES.replace("64,128,10.192", "64,128,inf", 1), "time"), (SAMPLES.replace("64,128,10.192", "64,128,nan", 1), "time"),
    (SAMPLES.replace("64,128,10.192", "64,128,10 us", 1), "time"), (SAMPLES[:-1], "ends within"), (SAMPLES.replace("64,128", '"64,128', 1), "quotation|cells"), (SAMPLES[:200].rsplit("\n", 1)[0] + "\n", "too few"),
    (SAMPLES.encode("utf-16"), ""), (SAMPLES.replace("64,128,10.192", "64,128,\x00", 1), "time"), (SAMPLES.replace(",", ";"), ""),
]] + [Case("train d", names, {name: text}) for name, text, names in [
    ("d/readme.txt", "hello", "d: .*GPU_OPERATOR_PRECISION"), ("d/x.csv", SAMPLES, "d: .*GPU_OPERATOR_PRECISION"), ("d/G_mine_fp16_2_1.csv", SAMPLES, "d: .*parts"), ("d/G_mine_fp16.csv", None, "G_mine_fp16.csv"),
    ("d", None, "d: ")]]

# The configuration of an operator of one's own next to its table, whose columns are rows and columns.
OWN = [Case("train d", rf"d/mine\.yml(:\d+)?: .*{names}", {"d/G_mine_fp16.csv": SAMPLES, "d/mine.yml": f"kernel_name: mine\ncolumns_name: [rows, columns, F_dur(us)]\n{text}\n"}) for text, names in [
    ("features: [rows", "YAML"), ("features: {a: b}", "features.*list"), ("features: 5", "features.*list"), ("features: []", "0 features"), ("features: [~, ~]", "features"), ("features: [[rows]]", "features"),
    ("features: ['']", "formula"), ("features: [-1]", "formula"), ("features: [1e5]", "not whole"), ("features: [rows**2]", "formula"), ("features: [rows//2]", "formula"), ("features: [rows.real]", "formula"),
    ("features: [\"open('x','w')\"]", "open"), ("features: ['rows; rows']", "formula"), ("features: [99999999999999999999]", "too large"), ("features: ['" + "(" * 10000 + "']", "nested"),
    ("features: ['" + "*".join(["rows"] * 9) + "', lines]", "lines"), ("features: [" + "rows, " * 9 + "]", "9 features"), ("parameters: [rows]", "parameters"), ("parameters: lines", "lines"), ("step_shape: rows", "step_shape"),
    ("step_shape: {lines: b}", "lines"), ("step_shape: {rows: tokens}", "tokens"), ("step_shape: {rows: {a: b}}", "step_shape"), ("step_shape: {rows: b, rows: l}", "twice"),
    ("columns_name: 5\nfeatures: [rows]", "columns_name|YAML"), ("kernel_name: [mine]\nfeatures: [rows]", "kernel_name")]
] + [Case("train d", names, {"d/G_mine_fp16.csv": SAMPLES, "d/mine.yml": f"kernel_name: mine\ncolumns_name: [rows, columns, F_dur(us)]\nfeatures: [{formula}]\n"}) for formula, names in [
    ("rows-rows", "feature rows-rows is 0"), ("rows-100000", "is -"), ("rows/(columns-columns)", "is inf"), ("(rows-rows)/(rows-rows)", "nan"), ("*".join(["rows"] * 20), r"is .*e\+")]]

LISTS = [Case(command, rf"{file}(:\d+)?: .*{names}", {file: text}) for command, file, text, names in [
    ("kernels {csv} --rules r.jsonl", "r.jsonl", "", "no rule"), ("kernels {csv} --rules r.jsonl", "r.jsonl", "x\n", ""), ("kernels {csv} --rules r.jsonl", "r.jsonl", "[]\n", ""),
    ("kernels {csv} --rules r.jsonl", "r.jsonl", '{"match": 5}\n', "match"), ("kernels {csv} --rules r.jsonl", "r.jsonl", '{"match": "a"}\n', ""), ("kernels {csv} --rules r.jsonl", "r.jsonl", '{"match": "a", "tier": 9}\n', "tier"),
    ("kernels {csv} --rules r.jsonl", "r.jsonl", '{"name": "a", "tier": 1, "colour": 2}\n', "colour"), ("kernels {csv} --rules r.jsonl", "r.jsonl", '{"match": "(", "tier": 1}\n{', ""),
    ("sample gelu --device cpu --roof r.json", "r.json", "[]", ""), ("sample gelu --device cpu --roof r.json", "r.json", "{", ""), ("sample gelu --device cpu --roof r.json", "r.json", '{"a": 5}', ""),
    ("sample gelu --device cpu --roof r.json", "r.json", '{"devices": [{"name": "x", "bytes_per_s": -1}]}', ""), ("diff b.json {base}", "b.json", "{}", ""), ("diff b.json {base}", "b.json", "[]", ""),
    ("diff b.json {base}", "b.json", '{"format": "kjoule-baseline"}', ""), ("diff b.json {base}", "b.json", '{"format": "kjoule-baseline", "version": 99}', ""),
    ("kernels r.jsonl", "r.jsonl", '{"format": "kjoule-recording", "version": 99}\n', "version"), ("kernels r.jsonl", "r.jsonl", '{"format": "kjoule-recording"}\n', ""),
    ("sample merge G_gelu_fp16_1_1.csv -o x", "G_gelu_fp16_1_1.csv", "", "empty"), ("sample merge x.csv -o y", "x.csv", SAMPLES, "not the name of a part"), ("sample merge G_gelu_fp16_2_3.csv -o x", "G_gelu_fp16_2_3.csv", SAMPLES, ""),
    ("sample merge G_gelu_fp16_0_1.csv -o x", "G_gelu_fp16_0_1.csv", SAMPLES, ""), ("predict operator G mine fp16 fwd 1 2 --data d", "d", None, ""),
]]

ENERGY_LOGS = [Case("energy --power-log p.csv --timing {timing} -o out", rf"p\.csv(:\d+)?: .*{names}", {"p.csv": text}) for text, names in [
    ("", ""), ("\n", ""), ("hello\n", ""), ("timestamp,power_w\n", ""), (wattsup().encode("utf-16"), ""), ("\x00" * 100, ""), ("a,b\n1,2\n", ""),
    (wattsup().replace("2026-02-04 10:1", "10:1"), ""), (json.dumps(FULL), ""),
]]


class Files(HostileCases):
    def test_networks(self) -> None:
        self.check(NETWORKS)

    def test_sweeps(self) -> None:
        self.check(SWEEPS)

    def test_kernel_tables(self) -> None:
        self.check(TABLES)

    def test_json(self) -> None:
        self.check(JSON_FILES)

    def test_traces(self) -> None:
        self.check(TRACES)

    def test_timings(self) -> None:
        self.check(TIMINGS)

    def test_sampled_tables(self) -> None:
        self.check(SAMPLED)
        self.check(OWN)

    def test_other_files(self) -> None:
        self.check(LISTS)

    def test_power_logs(self) -> None:
        self.check(ENERGY_LOGS)


if __name__ == "__main__":
    unittest.main()

"""The messages between kjoule and a process that it starts: a length of 4 bytes (little endian), then an object in CBOR (RFC 8949)."""
import struct

PROTOCOL_VERSION = 18  # kProtocolVersion of src/device/protocol.hpp
UNSIGNED, NEGATIVE, BYTES, TEXT, LIST, MAP, SIMPLE = 0, 1, 2, 3, 4, 5, 7  # major types
CONSTANTS = {20: False, 21: True, 22: None}
FLOATS = {25: ">e", 26: ">f", 27: ">d"}


def encode(value):
    """Returns the value, which consists of what JSON has, in CBOR."""
    if value is None or isinstance(value, bool):
        return bytes([SIMPLE << 5 | {False: 20, True: 21, None: 22}[value]])
    if isinstance(value, int):
        return head(UNSIGNED, value) if value >= 0 else head(NEGATIVE, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode(errors="replace")
        return head(TEXT, len(text)) + text
    if isinstance(value, dict):
        return head(MAP, len(value)) + b"".join(encode(part) for pair in value.items() for part in pair)
    return head(LIST, len(value)) + b"".join(map(encode, value))


def head(kind, number):
    for code, (limit, form) in enumerate([(24, ""), (1 << 8, ">B"), (1 << 16, ">H"), (1 << 32, ">I"), (1 << 64, ">Q")]):
        if number < limit:
            return bytes([kind << 5 | (23 + code if code else number)]) + (struct.pack(form, number) if form else b"")
    raise ValueError("a number does not fit into 64 bits")


def decode(data):
    """Returns the value of the CBOR bytes."""
    value, rest = decode_part(memoryview(data))
    if rest:
        raise ValueError("bytes follow the value")
    return value


def decode_part(data):
    kind, code = data[0] >> 5, data[0] & 31
    if kind == SIMPLE and code in FLOATS:
        size = struct.calcsize(FLOATS[code])
        return struct.unpack(FLOATS[code], data[1:1 + size])[0], data[1 + size:]
    if kind == SIMPLE:
        return CONSTANTS[code], data[1:]
    size = 0 if code < 24 else 1 << (code - 24)
    number, data = (int.from_bytes(data[1:1 + size], "big") if size else code), data[1 + size:]
    if kind == UNSIGNED:
        return number, data
    if kind == NEGATIVE:
        return -1 - number, data
    if kind in (BYTES, TEXT):
        text = bytes(data[:number])
        return (text.decode() if kind == TEXT else text), data[number:]
    parts = []
    for _ in range(number * (2 if kind == MAP else 1)):
        part, data = decode_part(data)
        parts.append(part)
    return (dict(zip(parts[::2], parts[1::2])) if kind == MAP else parts), data


def send(socket, message):
    body = encode(message)
    socket.sendall(struct.pack("<I", len(body)) + body)


def receive(socket):
    """Returns the next message; None if kjoule is gone."""
    size = receive_bytes(socket, 4)
    body = size and receive_bytes(socket, struct.unpack("<I", size)[0])
    return decode(body) if body else None


def receive_bytes(socket, count):
    data = b""
    while len(data) < count:
        piece = socket.recv(count - len(data))
        if not piece:
            return None
        data += piece
    return data

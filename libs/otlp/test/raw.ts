// Writes protobuf fields directly, so that tests can build messages that no encoder would write.

export const field = (number: number, ...parts: Uint8Array[]): Uint8Array => {
  const content = Buffer.concat(parts)
  const header = [(number << 3) | 2]
  let rest = content.length
  for (; rest > 127; rest >>>= 7) header.push((rest & 127) | 128)
  return Buffer.concat([Uint8Array.of(...header, rest), content])
}

export const join = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts)

export const requestOfRaw = (...spans: Uint8Array[]): Uint8Array => field(1, field(2, ...spans.map(span => field(2, span))))

export const nestedAttribute = (lists: number): Uint8Array => {
  let value: Uint8Array = Uint8Array.of(0x18, 1)
  for (let list = 0; list < lists; list++) value = field(5, field(1, value))
  return field(9, field(2, value))
}

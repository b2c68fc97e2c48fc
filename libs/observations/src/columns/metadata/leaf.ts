// One leaf of metadata: a dotted name, a text, and the original type.
import type { ByteSource, ByteWriter, IndexBuffer, LowCardinalityValues } from '@svc-server/column-store/native'
import { leafType } from '../../rules/leaf-type.ts'
import { exactInt, valueKind, type WireValue } from '../../span-view/any-value.ts'
import { base64Text, writeJson } from '../../span-view/json-text.ts'
import { scratchWriter } from '../../span-view/render-text.ts'

/** Receives the names, values and types of leaves in three parallel lists. */
export interface LeafSink {
  readonly names: IndexBuffer
  readonly values: ByteWriter
  readonly types: ByteWriter
  count: number
}

const scratch = scratchWriter()

/** The metadata names of a block. */
export type LeafNames = Pick<LowCardinalityValues, 'indexOf'>

export function pushText(sink: LeafSink, name: number, type: number, source: ByteSource, start: number, end: number): void {
  sink.names.push(name)
  sink.values.text(source, start, end)
  sink.types.byte(type)
  sink.count++
}

export function pushString(sink: LeafSink, name: number, type: number, text: string): void {
  sink.names.push(name)
  sink.values.string(text)
  sink.types.byte(type)
  sink.count++
}

function pushNumber(sink: LeafSink, name: number, type: number, value: number): void {
  sink.names.push(name)
  sink.values.decimalText(value)
  sink.types.byte(type)
  sink.count++
}

/** Lists become JSON, bytes become base64, and NaN and the infinities become text. */
export function pushValue(sink: LeafSink, name: number, source: ByteSource, value: WireValue): void {
  switch (value.kind) {
    case valueKind.text:
      pushText(sink, name, leafType.text, source, value.start, value.end)
      return
    case valueKind.int:
      if (Number.isSafeInteger(value.number)) pushNumber(sink, name, leafType.number, value.number)
      else pushString(sink, name, leafType.number, exactInt(source.bytes, value))
      return
    case valueKind.double:
      pushNumber(sink, name, Number.isFinite(value.number) ? leafType.number : leafType.text, value.number)
      return
    case valueKind.bool:
      pushString(sink, name, leafType.boolean, value.number === 1 ? 'true' : 'false')
      return
    case valueKind.bytes:
      pushString(sink, name, leafType.text, base64Text(source, value.start, value.end))
      return
    case valueKind.none:
      pushString(sink, name, leafType.null, '')
      return
    default:
      scratch.rewind()
      writeJson(scratch, source, value)
      pushText(sink, name, leafType.json, scratch, 0, scratch.length)
  }
}

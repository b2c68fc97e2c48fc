import avsc from 'avsc'
import { expect, test } from 'vitest'
import { AvroSink } from './sink.ts'

test('writes texts of every length, ASCII or not, into room of any size', () => {
  const type = avsc.Type.forSchema('string')
  for (let length = 0; length < 140; length++) {
    for (const value of ['a'.repeat(length), `${'a'.repeat(length)}é`, `é${'a'.repeat(length)}`, '\u{1f680}'.repeat(length)]) {
      for (const room of [0, length, length + 1, 1024]) {
        const sink = new AvroSink(Buffer.allocUnsafe(room))
        sink.string(value)
        expect(sink.finish().equals(type.toBuffer(value))).toBe(true)
      }
    }
  }
})

test.each([[[]], [new Uint8Array(0)], [{ length: 0 }], [{ length: 1 }], [undefined]])('refuses %j as a text', value => {
  expect(() => new AvroSink(Buffer.alloc(8)).string(value as unknown as string)).toThrow(TypeError)
})

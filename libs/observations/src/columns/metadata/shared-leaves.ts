// The leaves of a resource or scope, created once for all rows of its spans.
import { ByteWriter, createBufferPool, IndexBuffer } from '@svc-server/column-store/native'
import type { LeafSink } from './leaf.ts'

export class SharedLeaves implements LeafSink {
  readonly names: IndexBuffer
  readonly values: ByteWriter
  readonly types: ByteWriter
  count = 0
  generation = -1

  constructor() {
    const pool = createBufferPool(0)
    this.names = new IndexBuffer(pool)
    this.values = new ByteWriter(pool, { contiguous: true })
    this.types = new ByteWriter(pool, { contiguous: true })
  }

  restart(generation: number): void {
    this.generation = generation
    this.count = 0
    this.names.rewind()
    this.values.rewind()
    this.types.rewind()
  }

  appendTo(sink: LeafSink): void {
    sink.names.append(this.names)
    sink.values.raw(this.values.bytes, 0, this.values.length)
    sink.types.raw(this.types.bytes, 0, this.types.length)
    sink.count += this.count
  }
}

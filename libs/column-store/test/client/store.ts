import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { type ColumnStoreProxy, createColumnStoreProxy, temporaryDirectory } from '@svc-server/testkit'
import { createColumnStore } from '../../src/client.ts'
import type { ColumnStore, NativeInsert } from '../../src/port.ts'

export const password = 'secret'

export interface TestStore extends AsyncDisposable {
  readonly engine: Engine
  readonly proxy: ColumnStoreProxy
  readonly direct: ColumnStore
  /** This store connects to the engine through the proxy. */
  readonly store: ColumnStore
}

export const openTestStore = async (): Promise<TestStore> => {
  const directory = await temporaryDirectory()
  const engine = await startEngine({ dataDir: directory.path, port: 0, password, restartDelayMs: [20, 100] })
  const proxy = await createColumnStoreProxy(engine.url)
  const options = { user: 'svc', password, database: 'svc', requestTimeoutMs: 30_000 }
  const direct = createColumnStore({ ...options, url: engine.url })
  const store = createColumnStore({ ...options, url: proxy.url })
  return {
    engine,
    proxy,
    direct,
    store,
    async [Symbol.asyncDispose]() {
      await Promise.all([direct.close(), store.close()])
      await proxy.close()
      await engine.stop()
      await directory.remove()
    },
  }
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, 'utf8')
  if (bytes.length > 127) throw new RangeError('this small encoder knows one-byte lengths only')
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** Encodes a block with the columns `a UInt64, d Date, b String`. The block has one row per number, and all rows have the same day. */
export const block = (numbers: readonly number[], { day = 20_000, b = 'x' } = {}): Uint8Array[] => {
  if (numbers.length > 127) throw new RangeError('this small encoder knows one-byte counts only')
  const a = Buffer.alloc(8 * numbers.length)
  const d = Buffer.alloc(2 * numbers.length)
  numbers.forEach((value, at) => {
    a.writeBigUInt64LE(BigInt(value), 8 * at)
    d.writeUInt16LE(day, 2 * at)
  })
  return [
    Buffer.from([3, numbers.length]),
    Buffer.concat([text('a'), text('UInt64')]),
    a,
    Buffer.concat([text('d'), text('Date')]),
    d,
    Buffer.concat([text('b'), text('String')]),
    Buffer.concat(numbers.map(() => text(b))),
  ]
}

export const insertOf = (table: string, numbers: readonly number[], token: string, more: Partial<NativeInsert> = {}): NativeInsert => ({
  table,
  columns: ['a', 'd', 'b'],
  body: block(numbers),
  token,
  ...more,
})

// The thread of the embedded store, in which one PGlite instance processes messages in order.
import './keep-byte-order-marks.ts'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { asText, jsonColumnsOf } from './json-columns.ts'

export interface EmbeddedRequest {
  readonly id: number
  /** A message without a query closes the store and ends the thread. */
  readonly query?: { readonly sql: string; readonly parameters: readonly unknown[] }
}

/** The fields by which an error is classified. The thread sends only these fields, because an error loses its class between threads. */
export interface EmbeddedFailure {
  readonly message: string
  readonly code?: string
  readonly constraint?: string
  readonly table?: string
}

export type EmbeddedAnswer =
  | {
      readonly id: number
      readonly rows: readonly unknown[]
      /** Columns whose values are JSON texts. */
      readonly json: readonly string[]
      readonly affectedRows: number | undefined
    }
  | { readonly id: number; readonly failed: EmbeddedFailure }

/** Requests use larger ids. */
const openingId = 0

// The flags switch off V8's optimization of WebAssembly. The optimization of one PGlite function of 100 KB would take 600 MB and two
// seconds during the first queries, without a visible gain.
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)

const port = parentPort!
const nothing = { rows: [], json: [], affectedRows: undefined }
const opened = PGlite.create({
  dataDir: (workerData as { readonly directory: string }).directory,
  parsers: { ...asText },
  // By default, PostgreSQL takes and clears 128 MB, but the tables of one installation need only a few megabytes.
  startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'],
})

function failure(id: number, error: unknown): EmbeddedAnswer {
  const fields = Object(error) as Partial<Record<keyof EmbeddedFailure, unknown>>
  const known = (['code', 'constraint', 'table'] as const).filter(name => typeof fields[name] === 'string')
  const message = error instanceof Error ? error.message : String(error)
  return { id, failed: { message, ...Object.fromEntries(known.map(name => [name, fields[name]])) } }
}

async function answer({ id, query }: EmbeddedRequest): Promise<EmbeddedAnswer> {
  const database = await opened
  if (query === undefined) {
    await database.close()
    return { id, ...nothing }
  }
  const { rows, fields, affectedRows } = await database.query(query.sql, [...query.parameters], { rowMode: 'object' })
  return { id, rows, json: jsonColumnsOf(fields), affectedRows }
}

const reply = (id: number, work: Promise<EmbeddedAnswer>) =>
  work.catch((error: unknown) => failure(id, error)).then(said => port.postMessage(said))

void reply(
  openingId,
  opened.then(() => ({ id: openingId, ...nothing })),
)
port.on('message', (request: EmbeddedRequest) => {
  void reply(request.id, answer(request)).then(() => {
    if (request.query === undefined) port.close()
  })
})

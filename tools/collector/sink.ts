// A server that behaves like a column store but discards inserted spans. The server reads and counts the inserted spans. A bench can thus
// measure the client without the work of the column store. `others` is the URL of a real column store, to which the server passes
// all requests except inserts of spans. Without this URL, the server itself responds to these requests.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { blockHeadBytes, rowsOfBlock } from './frames.ts'
import { nativeAnswer } from './native-answers.ts'

export interface Sink {
  readonly url: string
  readonly rows: number
  readonly inserts: number
  close(): Promise<void>
}

export interface SinkOptions {
  /** Name of the table of spans. */
  readonly table: string
  /** True if the sink forwards inserts of spans to the real server, and counts an insert after the server has stored the rows. */
  readonly stores?: boolean
  /**
   * URL of a column store, to which the sink passes all requests except inserts of spans. Without a URL, the sink itself responds to the
   * requests that are not inserts of spans.
   */
  readonly others?: string
}

export async function createSink({ table, others, stores = false }: SinkOptions): Promise<Sink> {
  const counted = { rows: 0, inserts: 0 }
  const insert = new RegExp(`^INSERT INTO (?:[\`"]?\\w+[\`"]?\\.)?[\`"]?${table}[\`"]?\\W`)

  const server = createServer((req, res) => {
    const { searchParams } = new URL(req.url!, 'http://sink')
    const sql = searchParams.get('query')
    const isInsert = sql !== null && insert.test(sql) && sql.includes('FORMAT Native')
    const done = isInsert ? take(req, res, searchParams.get('decompress') === '1') : pass(req, res, searchParams.get('compress') === '1')
    done.catch(error => res.destroy(error as Error))
  })

  /** Reads the number of rows from the beginning of the block. Resolves after the whole request has arrived. */
  const rowsOf = (req: IncomingMessage, compressed: boolean) =>
    new Promise<number>((resolve, reject) => {
      let head = Buffer.alloc(0)
      req.on('data', (chunk: Buffer) => {
        if (head.length < blockHeadBytes) head = Buffer.concat([head, chunk.subarray(0, blockHeadBytes)])
      })
      req.on('error', reject)
      req.on('end', () => resolve(rowsOfBlock(head, compressed)))
    })

  async function take(req: IncomingMessage, res: ServerResponse, compressed: boolean): Promise<void> {
    const arrived = rowsOf(req, compressed)
    if (stores) await Promise.all([forward(req, res), arrived])
    // Two inserts can arrive at the same time. The sink therefore reads the counters only after the `await`.
    const rows = await arrived
    counted.rows += rows
    counted.inserts += 1
    if (!stores) res.writeHead(200, { 'content-type': 'text/plain' }).end()
  }

  async function pass(req: IncomingMessage, res: ServerResponse, compressed: boolean): Promise<void> {
    if (others !== undefined) return forward(req, res)
    const sql = await text(req)
    const answer = nativeAnswer(sql, compressed)
    if (answer === null) res.writeHead(400).end(`The sink does not know ${sql}`)
    else res.writeHead(200, { 'content-type': 'application/octet-stream' }).end(answer)
  }

  const forward = (req: IncomingMessage, res: ServerResponse) =>
    new Promise<void>((resolve, reject) => {
      const { hostname, port, host } = new URL(others!)
      const { url: path, method, headers } = req
      const outgoing = request({ hostname, port, path, method, headers: { ...headers, host } }, answer => {
        res.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(res).on('finish', resolve)
      })
      outgoing.on('error', reject)
      req.pipe(outgoing)
    })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get rows() {
      return counted.rows
    },
    get inserts() {
      return counted.inserts
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

// Serves ClickHouse's HTTP interface, so that the stock client, curl and dashboards can use the engine.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { createHttpServer, parseTarget } from '@svc-server/http/listeners'
import type { NativeResult } from '../process/binding.ts'
import type { EngineCore } from '../process/core.ts'
import { engineFailure, httpStatusOf } from '../process/engine-error.ts'
import type { DeniedNames } from '../sql/denied.ts'
import { SqlRefused } from '../sql/refused.ts'
import type { Access } from './access.ts'
import { decodedBody, discardBody, readAll, readUpTo, type Spool } from './body.ts'
import { multipartBoundary, parseMultipart } from './multipart.ts'
import { headerSafe, type Parameters, readParameters } from './parameters.ts'
import { checkValuesData, insertSql, type Plan, planInsert, planStatement, toBytesText } from './plan.ts'
import { limitStrangers } from './strangers.ts'

export interface ListenerOptions {
  readonly core: EngineCore
  readonly access: Access
  readonly spool: Spool
  readonly denied: DeniedNames
  readonly database: string
  /** Maximum size of a statement, without the data of an insert. */
  readonly maxQueryBytes: number
  /** Called with an unexpected error, after the response with status 500. */
  readonly onDefect: (error: unknown) => void
}

/** Maximum number of connections that have not sent the password yet. */
const maxStrangers = 256
/** A request is dropped if, for this time, its client sends no part of the body or reads no part of the result. */
const idleMs = 30_000
const MiB = 1024 ** 2
/**
 * Maximum size of all results that wait for their clients. The engine does not count the memory of these results. A result of at most
 * `smallBytes` is sent even if the maximum is exceeded, so that services still get small results.
 */
const maxHeldBytes = 256 * MiB
const smallBytes = MiB
/** How long a refused client can continue to send. Authenticated clients get more time. */
const lingerMs = { stranger: 500, known: 30_000 }

interface Outcome {
  readonly result: NativeResult
  readonly format: string
  readonly writtenRows: number
}

const compress = promisify(gzip)
const contentTypes: Readonly<Record<string, string>> = {
  json: 'application/json; charset=UTF-8',
  jsoncompact: 'application/json; charset=UTF-8',
  jsoneachrow: 'application/x-ndjson; charset=UTF-8',
  csv: 'text/csv; charset=UTF-8',
  csvwithnames: 'text/csv; charset=UTF-8',
  native: 'application/octet-stream',
  rowbinary: 'application/octet-stream',
}
const contentType = (format: string): string => contentTypes[format.toLowerCase()] ?? 'text/plain; charset=UTF-8'

const isGzipAccepted = (req: IncomingMessage): boolean => /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''))

const summary = ({ result, writtenRows }: Outcome): string =>
  JSON.stringify({
    read_rows: String(writtenRows > 0 ? 0 : result.rowsRead),
    read_bytes: String(writtenRows > 0 ? 0 : result.bytesRead),
    written_rows: String(writtenRows),
    written_bytes: String(writtenRows > 0 ? result.bytesRead : 0),
    total_rows_to_read: '0',
    result_rows: '0',
    result_bytes: String(result.bytes.length),
    elapsed_ns: String(Math.round(result.elapsed * 1e9)),
  })

export interface Front {
  readonly server: Server
  /** Refuses new requests with 503. Resolves when the last running request has its response. */
  drain(): Promise<void>
}

/** A response is sent only when it is complete, so that its status is never wrong. */
export const createListener = (options: ListenerOptions): Front => {
  const { core, access, spool, denied, maxQueryBytes } = options

  const runStatement = async (
    plan: Extract<Plan, { kind: 'statement' }>,
    parameters: Parameters,
    readOnly: boolean,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const settings = readOnly ? [...parameters.settings, ['readonly', '2'] as const] : parameters.settings
    const slot = plan.verb === 'INSERT' ? 'copy' : 'read'
    const result = await core.run({ ...parameters, settings, sql: plan.sql, format: parameters.defaultFormat, slot, signal })
    return { result, format: plan.format ?? parameters.defaultFormat, writtenRows: 0 }
  }

  const runInsert = async (
    plan: Extract<Plan, { kind: 'insert' }>,
    inline: Buffer,
    body: AsyncIterator<Buffer>,
    parameters: Parameters,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    let first = inline
    if (plan.head.format.toLowerCase() === 'values') {
      first = await readAll(body, inline, maxQueryBytes)
      checkValuesData(first.toString('latin1'), denied, parameters.params)
    }
    return spool.with(body, first, async file => {
      const sql = insertSql(plan.head, file, parameters.settings)
      const result = await core.run({ ...parameters, settings: [], sql, format: 'Null', slot: 'insert', signal })
      return { result, format: 'Null', writtenRows: result.rowsRead }
    })
  }

  const refuseReadOnly = (): never => {
    throw new SqlRefused('READONLY', 'Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly: use POST')
  }

  const execute = async (
    req: IncomingMessage,
    parameters: Parameters,
    body: AsyncIterator<Buffer>,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const readOnly = req.method === 'GET'
    const inUrl = parameters.query === '' ? Buffer.alloc(0) : Buffer.from(`${parameters.query}\n`, 'utf8')
    const urlInsert = planInsert(toBytesText(parameters.query), denied, parameters.params)
    if (urlInsert?.kind === 'insert') {
      if (readOnly) refuseReadOnly()
      const inline = Buffer.from(parameters.query, 'utf8').subarray(urlInsert.dataStart)
      return runInsert(urlInsert, inline, body, parameters, signal)
    }
    const { bytes, ended } = await readUpTo(body, maxQueryBytes + 1)
    const text = Buffer.concat([inUrl, bytes])
    const bodyInsert = planInsert(text.toString('latin1'), denied, parameters.params)
    if (bodyInsert?.kind === 'insert') {
      if (readOnly) refuseReadOnly()
      return runInsert(bodyInsert, text.subarray(bodyInsert.dataStart), body, parameters, signal)
    }
    if (!ended) throw new SqlRefused('QUERY_IS_TOO_LARGE', `The statement is larger than ${maxQueryBytes} bytes`)
    const plan = planStatement(text.toString('latin1'), denied, parameters.params)
    if (plan.kind !== 'statement') throw new TypeError('a statement was planned as an insert')
    return runStatement(plan, parameters, readOnly, signal)
  }

  const fail = async (req: IncomingMessage, res: ServerResponse, error: unknown, queryId: string): Promise<void> => {
    const { code, type, message } = engineFailure(error)
    const isStranger = code === 194 || code === 516
    const whole = await discardBody(req, isStranger ? lingerMs.stranger : lingerMs.known)
    if (res.headersSent || res.destroyed) return void res.destroy()
    const headers: Record<string, string> = {
      'content-type': 'text/plain; charset=UTF-8',
      'x-clickhouse-exception-code': String(code),
      'x-clickhouse-query-id': queryId,
    }
    if (!whole) headers['connection'] = 'close'
    if (isStranger) headers['www-authenticate'] = 'Basic realm="svc column store"'
    res.writeHead(httpStatusOf(code), headers).end(`Code: ${code}. DB::Exception: ${message}. (${type}) (version ${core.version})\n`)
  }

  let heldBytes = 0
  /** Counts a result's bytes while its client reads them. */
  const hold = (res: ServerResponse, bytes: number): void => {
    if (bytes > smallBytes && heldBytes + bytes > maxHeldBytes)
      throw new SqlRefused('MEMORY_LIMIT_EXCEEDED', `Memory limit exceeded: clients have not yet read results of ${heldBytes} bytes`)
    if (res.destroyed) return
    heldBytes += bytes
    res.once('close', () => (heldBytes -= bytes))
    res.setTimeout(idleMs, () => res.destroy())
  }

  const answer = async (req: IncomingMessage, res: ServerResponse, parameters: Parameters, outcome: Outcome): Promise<void> => {
    const bytes = outcome.result.bytes
    hold(res, bytes.length)
    const zipped = parameters.compressResponse && isGzipAccepted(req) && bytes.length > 0
    const content = zipped ? await compress(bytes) : bytes
    res.writeHead(200, {
      'content-type': contentType(outcome.format),
      'content-length': content.length,
      ...(zipped ? { 'content-encoding': 'gzip' } : {}),
      'x-clickhouse-format': outcome.format,
      'x-clickhouse-query-id': parameters.queryId,
      'x-clickhouse-server-display-name': 'svc-embedded-engine',
      'x-clickhouse-timezone': 'UTC',
      'x-clickhouse-summary': summary(outcome),
    })
    res.end(content)
  }

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { path, query } = parseTarget(req.url)
    if (path === '/ping') return void res.writeHead(200, { 'content-type': 'text/html; charset=UTF-8' }).end('Ok.\n')
    let queryId = headerSafe(query.get('query_id') ?? '')
    try {
      access.authenticate(req, query)
      strangers.admit(req.socket)
      req.setTimeout(idleMs)
      req.once('end', () => req.setTimeout(0))
      if (path !== '/') return void res.writeHead(404, { 'content-type': 'text/plain' }).end(`There is no handle ${path}\n`)
      if (req.method !== 'GET' && req.method !== 'POST') return void res.writeHead(405, { allow: 'GET, POST' }).end()
      const gone = new AbortController()
      res.on('close', () => gone.abort())
      const raw = decodedBody(req)
      const boundary = multipartBoundary(req.headers['content-type'])
      const fields = boundary === null ? undefined : parseMultipart(await readAll(raw, Buffer.alloc(0), maxQueryBytes), boundary)
      const parameters = readParameters(req, query, options, fields)
      queryId = parameters.queryId
      if (req.method === 'GET' && parameters.query === '') return void res.writeHead(200).end('Ok.\n')
      await answer(req, res, parameters, await execute(req, parameters, raw, gone.signal))
    } catch (error) {
      await fail(req, res, error, queryId)
    }
  }

  let active = 0
  let draining = false
  let drained: (() => void) | undefined
  const handle = (req: IncomingMessage, res: ServerResponse): void | Promise<void> => {
    const refused = access.refusedOrigin(req)
    if (refused) return void res.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(`${refused}.\n`)
    if (draining) return void res.writeHead(503, { 'content-type': 'text/plain', connection: 'close' }).end('The engine is stopping.\n')
    active += 1
    return serve(req, res).finally(() => {
      active -= 1
      if (active === 0) drained?.()
    })
  }
  const server = createHttpServer({
    handle,
    onDefect: options.onDefect,
    server: { keepAliveTimeout: 30_000, headersTimeout: 15_000, requestTimeout: 0 },
  })
  const strangers = limitStrangers(server, maxStrangers)
  return {
    server,
    drain() {
      draining = true
      return active === 0 ? Promise.resolve() : new Promise(resolve => (drained = resolve))
    },
  }
}

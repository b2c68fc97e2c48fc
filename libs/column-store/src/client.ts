// The client of the column store. For this client, a ClickHouse server and the embedded engine differ only in their URL.

import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { parseStoredJson } from '@svc-server/json'
import { toColumnStoreError } from './errors.ts'
import { createIdentityProbe } from './identity.ts'
import { inlineParameters } from './inline-parameters.ts'
import type { ColumnStore, ColumnStoreOptions, ReadRequest } from './port.ts'
import { cancelledWithTheRequest, pinnedInsertSettings, type Settings, statementSettings } from './settings.ts'
import { createSockets } from './sockets.ts'
import { updateStatement } from './update.ts'

const quoteIdentifier = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``

/** Quotes the two names of `database.table` separately. */
const quoteTable = (table: string): string => table.split('.').map(quoteIdentifier).join('.')

const asClientSettings = (settings: Settings): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]))

const openClient = (options: ColumnStoreOptions): ClickHouseClient =>
  createClient({
    url: options.url,
    username: options.user,
    password: options.password,
    database: options.database,
    request_timeout: options.requestTimeoutMs,
    http_agent: createSockets(options.url, options.maxOpenConnections ?? 10),
    keep_alive: { enabled: true, idle_socket_ttl: 0 },
    compression: { request: false, response: false },
    json: { parse: <Row>(line: string) => parseStoredJson(line) as Row },
    application: 'svc',
    // The caller logs errors once.
    log: { level: ClickHouseLogLevel.OFF },
  })

/** With a known length, all parts are copied into one buffer. Joining the parts at the end would take twice the memory. */
async function bytesOf(stream: Readable, length: number): Promise<Uint8Array> {
  if (!Number.isSafeInteger(length)) return buffer(stream)
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  for await (const part of stream as AsyncIterable<Buffer>) at += part.copy(whole, at)
  return whole
}

/**
 * @clickhouse/client never removes its listener from a signal. The listener keeps the query in memory. The caller's signal can outlive many
 * queries, so each query gets its own signal.
 */
async function withOwnSignal<T>(signal: AbortSignal | undefined, run: (own: AbortSignal | undefined) => Promise<T>): Promise<T> {
  if (signal === undefined) return run(undefined)
  // `@clickhouse/client` ignores a signal that is already aborted.
  signal.throwIfAborted()
  const own = new AbortController()
  const abort = () => own.abort()
  signal.addEventListener('abort', abort)
  try {
    return await run(own.signal)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Total length of parameters in a URL, in characters. If the parameters are longer, they become part of the statement. */
const maxUrlParameters = 4_000

/** True if the parameters are short enough for a URL. After URL encoding, a non-ASCII character takes up to nine characters. */
function isForUrl(params: Readonly<Record<string, unknown>>): boolean {
  const text = JSON.stringify(params, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return text.length <= maxUrlParameters && encodeURIComponent(text).length <= maxUrlParameters
}

const withParameters = (query: string, params: Readonly<Record<string, unknown>> | undefined) => {
  if (params === undefined) return { query }
  return isForUrl(params) ? { query, query_params: { ...params } } : { query: inlineParameters(query, params) }
}

/** Connects on first use. In results, 64-bit integers are strings, because JSON numbers would lose their last digits. */
export const createColumnStore = (options: ColumnStoreOptions): ColumnStore => {
  const client = openClient(options)
  const probe = createIdentityProbe(client)
  const readSettings = { ...statementSettings, ...(options.maxReadThreads !== undefined && { max_threads: options.maxReadThreads }) }

  return {
    database: options.database,
    replicated: options.replicated ?? false,

    async insert({ table, columns, body, token, settings }) {
      const query = `INSERT INTO ${quoteTable(table)} (${columns.map(quoteIdentifier).join(', ')}) FORMAT Native`
      try {
        const { stream } = await client.exec({
          query,
          // `Readable.from` returns a stream in object mode. Such a stream neither joins nor copies the buffers of the body.
          values: Readable.from(body),
          clickhouse_settings: asClientSettings({ ...pinnedInsertSettings, ...settings, insert_deduplication_token: token }),
        })
        // The response is read to its end, so that the next request can use the socket.
        for await (const _ of stream);
      } catch (error) {
        throw toColumnStoreError(error, `Insert into ${table}`, 'insert')
      }
    },

    query<Row>(sql: string, params?: Readonly<Record<string, unknown>>, { signal, settings = {} }: ReadRequest = {}): Promise<Row[]> {
      return withOwnSignal(signal, async own => {
        try {
          const result = await client.query({
            ...withParameters(sql, params),
            format: 'JSONEachRow',
            clickhouse_settings: asClientSettings({
              ...readSettings,
              output_format_json_quote_64bit_integers: 1,
              ...settings,
              ...(own && cancelledWithTheRequest),
            }),
            ...(own && { abort_signal: own }),
          })
          return await result.json<Row>()
        } catch (error) {
          throw toColumnStoreError(error, 'Query', 'statement')
        }
      })
    },

    queryBytes(sql, format, params, { signal, settings = {} } = {}) {
      return withOwnSignal(signal, async own => {
        try {
          const { stream, response_headers } = await client.exec({
            ...withParameters(`${sql} FORMAT ${format}`, params),
            clickhouse_settings: asClientSettings({ ...readSettings, ...settings, ...(own && cancelledWithTheRequest) }),
            ...(own && { abort_signal: own }),
          })
          return await bytesOf(stream, Number(response_headers['content-length']))
        } catch (error) {
          throw toColumnStoreError(error, 'Query', 'statement')
        }
      })
    },

    async command(sql, params) {
      try {
        await client.command({ ...withParameters(sql, params), clickhouse_settings: statementSettings })
      } catch (error) {
        throw toColumnStoreError(error, 'Command', 'statement')
      }
    },

    async update(update) {
      const { sql, settings } = updateStatement(update, options)
      try {
        await client.command({
          ...withParameters(sql, update.params),
          clickhouse_settings: { ...statementSettings, ...settings },
        })
      } catch (error) {
        throw toColumnStoreError(error, `Update of ${update.table}`, 'statement')
      }
    },

    async ask(sql) {
      try {
        const { stream } = await client.exec({ query: sql, clickhouse_settings: { wait_end_of_query: 1 } })
        return await text(stream)
      } catch (error) {
        throw toColumnStoreError(error, 'Question', 'statement')
      }
    },

    async identify() {
      try {
        return await probe()
      } catch (error) {
        throw toColumnStoreError(error, 'Identify', 'statement')
      }
    },

    close: () => client.close(),
  }
}

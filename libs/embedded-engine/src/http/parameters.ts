// Reads the parameters of a statement from the URL, the headers and a multipart body, as ClickHouse does.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { deniedSettings } from '../sql/denied.ts'
import { refusedSetting } from '../sql/guard.ts'
import { isPlainName } from '../sql/quote.ts'
import { SqlRefused } from '../sql/refused.ts'

export interface Parameters {
  readonly query: string
  readonly database: string
  readonly defaultFormat: string
  readonly queryId: string
  readonly settings: readonly (readonly [string, string])[]
  readonly params: readonly (readonly [string, string])[]
  readonly compressResponse: boolean
}

/**
 * Parameters of the HTTP interface that are not settings of the engine. Some of them control how the engine streams a
 * response. These have no effect here, because the engine completes every response before it sends the first byte.
 */
const ownNames: ReadonlySet<string> = new Set(
  `query database user password quota_key default_format query_id stacktrace wait_end_of_query buffer_size session_timeout session_check
   close_session enable_http_compression http_zlib_compression_level send_progress_in_http_headers http_headers_progress_interval_ms
   http_wait_end_of_query http_response_buffer_size http_write_exception_in_output_format http_make_head_request add_http_cors_header
   cancel_http_readonly_queries_on_client_close client_protocol_version compress decompress session_id role async_insert wait_for_async_insert`.split(
    /\s+/,
  ),
)

/** Truncates the caller's id, and replaces characters that a response header cannot contain. */
export const headerSafe = (text: string): string => text.slice(0, 256).replace(/[^\x20-\x7e]/g, '?')

const truthy = (value: string | null): boolean => value === '1' || value === 'true'

const refuseUnsupported = (url: URLSearchParams): void => {
  if (url.get('session_id')) throw new SqlRefused('NOT_IMPLEMENTED', 'Sessions (session_id) are not supported by the embedded engine')
  if (url.get('role')) throw new SqlRefused('NOT_IMPLEMENTED', 'Roles are not supported by the embedded engine')
  if (truthy(url.get('compress')) || truthy(url.get('decompress')))
    throw new SqlRefused('NOT_IMPLEMENTED', "ClickHouse's own block compression is not supported: use Content-Encoding and Accept-Encoding")
}

const named = (name: string): string => {
  if (!isPlainName(name)) throw new SqlRefused('BAD_ARGUMENTS', `${JSON.stringify(name)} is not a name of a setting, parameter or format`)
  return name
}

/** `fields` are the statement and the parameters in a multipart body. Throws SqlRefused. */
export const readParameters = (
  req: IncomingMessage,
  url: URLSearchParams,
  defaults: { readonly database: string },
  fields: ReadonlyMap<string, string> = new Map(),
): Parameters => {
  refuseUnsupported(url)
  const settings: [string, string][] = []
  const params: [string, string][] = []
  const take = (name: string, value: string) => {
    if (ownNames.has(name)) return
    if (name.startsWith('param_')) return void params.push([named(name.slice('param_'.length)), value])
    if (deniedSettings.has(named(name).toLowerCase())) throw refusedSetting(name)
    settings.push([name, value])
  }
  for (const [name, value] of url) take(name, value)
  for (const [name, value] of fields) take(name, value)

  const header = (name: string): string | undefined => {
    const value = req.headers[name]
    return Array.isArray(value) ? value[0] : value
  }
  return {
    query: [url.get('query') ?? '', fields.get('query') ?? ''].filter(Boolean).join('\n'),
    database: (url.get('database') ?? header('x-clickhouse-database')) || defaults.database,
    defaultFormat: named((url.get('default_format') ?? header('x-clickhouse-format')) || 'TabSeparated'),
    queryId: headerSafe(url.get('query_id') ?? header('x-clickhouse-query-id') ?? '') || randomUUID(),
    settings,
    params,
    compressResponse: truthy(url.get('enable_http_compression')),
  }
}

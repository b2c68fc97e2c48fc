// Queries the public API with a key pair. Opens no store of the installation.
import { parseArgs } from 'node:util'
import * as metrics from '@svc-server/api/metrics/operations'
import * as observations from '@svc-server/api/observations/operations'
import { type Command, UsageError } from '../command.ts'
import { getJson, getLines, type Target } from '../query/request.ts'
import { type Row, rowsCsv, rowsTable } from '../query/rows.ts'

const observationParameters = Object.keys(observations.getMany.query.shape)
const isRepeated = (name: string) => name === 'environment'

const help = `svc query observations [--<parameter> <value> ...] [--json | --csv] [--url URL] [--keys PUBLIC:SECRET]
svc query metrics QUERY [--json | --csv] [--url URL] [--keys PUBLIC:SECRET]

Query an installation through its API and print the rows as a table.

  observations  print one page of Observations v2, newest first, 50 rows by default. Parameters of the API:
                ${observationParameters.slice(0, 9).join(', ')},
                ${observationParameters.slice(9).join(', ')}
  metrics       print a result of Metrics v2. QUERY is the JSON of the API's parameter \`query\`

  --json        print the API's response
  --csv         print CSV; for observations every matching row instead of one page (--limit caps them)
  --url         address of the installation; default: SVC_BASE_URL, then http://localhost:3000
  --keys        key pair of a project; default: SVC_PUBLIC_KEY and SVC_SECRET_KEY

  svc query observations --level ERROR --fromStartTime 2026-11-01T00:00:00Z --fields core,basic,model
  svc query metrics '{"view":"observations","metrics":[{"measure":"totalCost","aggregation":"sum"}],"dimensions":[{"field":"providedModelName"}],
    "fromTimestamp":"2026-11-01T00:00:00Z","toTimestamp":"2026-12-01T00:00:00Z"}'`

const own = {
  url: { type: 'string' },
  keys: { type: 'string' },
  json: { type: 'boolean', default: false },
  csv: { type: 'boolean', default: false },
} as const

type Environment = Readonly<Record<string, string | undefined>>

function targetOf({ url, keys }: { readonly url?: string | undefined; readonly keys?: string | undefined }, env: Environment): Target {
  const address = url ?? env['SVC_BASE_URL'] ?? env['SVC_BASEURL'] ?? 'http://localhost:3000'
  const parsed = URL.parse(address)
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new UsageError(`--url: "${address}" is no http:// or https:// address.`)
  const [publicKey = '', ...secret] = (keys ?? `${env['SVC_PUBLIC_KEY'] ?? ''}:${env['SVC_SECRET_KEY'] ?? ''}`).split(':')
  const secretKey = secret.join(':')
  if (publicKey === '' || secretKey === '')
    throw new UsageError('No key pair is given: add --keys PUBLIC:SECRET, or set SVC_PUBLIC_KEY and SVC_SECRET_KEY.')
  return { url: parsed, publicKey, secretKey }
}

interface Asked {
  readonly what: 'observations' | 'metrics'
  readonly params: URLSearchParams
  readonly target: Target
  readonly form: 'table' | 'json' | 'csv'
}

function askedOf([what, ...rest]: readonly string[], env: Environment): Asked {
  if (what !== 'observations' && what !== 'metrics') throw new UsageError(`give observations or metrics, not "${what ?? ''}".`)
  const parameters = what === 'observations' ? observationParameters : []
  const named = Object.fromEntries(parameters.map(name => [name, { type: 'string', multiple: isRepeated(name) } as const]))
  const { values, positionals } = parseArgs({ args: rest, options: { ...named, ...own }, allowPositionals: what === 'metrics' })
  const { url, keys, json, csv } = values
  if (json && csv) throw new UsageError('give --json or --csv, not both.')
  const given: Readonly<Record<string, unknown>> = values
  const params = new URLSearchParams()
  for (const name of parameters) for (const value of [given[name] ?? []].flat()) params.append(name, String(value))
  if (what === 'metrics') {
    const [query, ...more] = positionals
    if (query === undefined || more.length > 0)
      throw new UsageError('metrics takes one QUERY: the JSON of a query of Metrics v2, in quotes.')
    params.set('query', query)
  }
  return { what, params, target: targetOf({ url, keys }, env), form: json ? 'json' : csv ? 'csv' : 'table' }
}

export const command: Command = {
  help,
  async run(args, { print, env = {} }) {
    const { what, params, target, form } = askedOf(args, env)
    const { path } = what === 'observations' ? observations.getMany : metrics.metrics
    if (form === 'csv' && what === 'observations') return getLines(target, { path, params, accept: 'text/csv' }, print)
    const response = (await getJson(target, { path, params })) as {
      readonly data: readonly Row[]
      readonly meta?: { readonly cursor?: string }
    }
    if (form === 'json') return print(JSON.stringify(response, null, 2))
    if (form === 'csv') return print(rowsCsv(response.data))
    print(response.data.length === 0 ? 'No rows.' : rowsTable(response.data))
    const cursor = response.meta?.cursor
    if (cursor !== undefined) print(`\nMore rows follow: --cursor ${cursor}`)
  },
}

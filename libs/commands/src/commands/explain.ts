// Maps a payload from a file, and explains why each column gets its value.
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { AppError } from '@svc-server/errors'
import { type ExplainedColumn, type ExplainedRequest, type ExplainedSpan, explainRequest } from '@svc-server/observations/block/explain'
import { encodingOfBody, inflateBodySync } from '@svc-server/otlp/inflate'
import { transcodeJsonRequest } from '@svc-server/otlp/json/transcode'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { type CatalogSnapshot, catalogSnapshot } from '@svc-server/pricing/snapshot'
import { brandAliasesOf, brandAliasesValid, brandAliasPattern } from '@svc-server/schema/brand'
import { type Command, UsageError } from '../command.ts'
import { table } from '../table.ts'

const help = `svc explain [FILE] [--all] [--full] [--json] [--sdk-name NAME] [--sdk-version VERSION] [--brand-aliases NAMES]

Map an OTLP trace request (FILE, or standard input) as the writer does. For each column of each span, print the rule and the attributes that
determine its value. For each usage key and each cost, print its source. For other numbers, print why they stayed in the metadata. The command
detects the format: protobuf or JSON, uncompressed or with gzip, zstd or deflate. It uses the models and prices of this release, not those of
a project.

--all            also print columns that no rule filled
--full           print complete values
--json           print one JSON object
--sdk-name, --sdk-version
                 map the request as if the headers x-svc-sdk-name and x-svc-sdk-version had these values
--brand-aliases  use these names as the services use SVC_BRAND_ALIASES`

const maxBytes = 1 << 30
const shownCharacters = 72

/** Converts the contents of a file, which can be compressed and can be JSON, to an uncompressed protobuf request. */
function requestOf(body: Buffer): Uint8Array {
  const bytes = inflateBodySync(body, encodingOfBody(body), maxBytes)
  const first = bytes.find(byte => byte > 0x20)
  return first === 0x7b ? transcodeJsonRequest(bytes) : bytes
}

let shipped: CatalogSnapshot | undefined
const shippedCatalog = () => (shipped ??= catalogSnapshot({ models: shippedModels(), prompts: [] }))

async function read(path: string | undefined): Promise<Buffer> {
  if (path === undefined || path === '-') return buffer(process.stdin)
  try {
    return await readFile(path)
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

const isDefault = (value: unknown): boolean =>
  value === null || value === '' || value === false || value === 0 || (typeof value === 'object' && Object.keys(value).length === 0)

/** The output shows these three columns together, as one column `metadata`. */
const metadataLists: ReadonlySet<string> = new Set(['metadata_names', 'metadata_values', 'metadata_types'])

interface Shown {
  readonly all: boolean
  readonly full: boolean
}

function sourceOf({ rule, attributes }: ExplainedColumn): string {
  if (rule === null) return 'default'
  return attributes.length === 0 || (attributes.length === 1 && attributes[0] === rule) ? rule : `${rule} ← ${attributes.join(', ')}`
}

function shownText(value: unknown, { full }: Shown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\p{Cc}/gu, ' ')
  return full || text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters - 1)}…`
}

const about = { usage: 'usage', cost: 'cost', left: 'left in the metadata:' } as const

function describeSpan({ index, columns, notes }: ExplainedSpan, shown: Shown): string {
  const rows = Object.entries(columns)
    .filter(([name, column]) => !metadataLists.has(name) && (shown.all || column.rule !== null || !isDefault(column.value)))
    .map(([name, column]) => [name, shownText(column.value, shown), sourceOf(column)])
  const names = columns['metadata_names']!.value as readonly string[]
  const values = columns['metadata_values']!.value as readonly string[]
  const metadata = names.map((name, i) => [`metadata ${name}`, shownText(values[i], shown), ''])
  const amounts = notes.map(({ about: kind, name, why }) => [`${about[kind]} ${name}`, amountOf(columns, kind, name), why])
  return `span ${index}: ${shownText(columns['name']!.value, shown)}\n${table(['column', 'value', 'rule'], [...rows, ...amounts, ...metadata])}`
}

function amountOf(columns: ExplainedSpan['columns'], kind: keyof typeof about, name: string): string {
  const column = kind === 'left' ? undefined : columns[`${kind}_details`]
  const amounts = column?.value as Readonly<Record<string, unknown>> | undefined
  return amounts === undefined ? '' : String(amounts[name] ?? '')
}

function describe({ spans, rejected, losses, repairedTexts }: ExplainedRequest, shown: Shown): string {
  const lost = Object.entries(losses).filter(([, count]) => count > 0)
  return [
    ...spans.map(span => describeSpan(span, shown)),
    ...rejected.map(({ index, reason, message }) => `${index === null ? 'the request' : `span ${index}`}: rejected, ${reason}: ${message}`),
    ...lost.map(([reason, count]) => `${reason}: ${count} (kept in the metadata)`),
    ...(repairedTexts > 0 ? [`texts that were not UTF-8: ${repairedTexts} (stored with U+FFFD)`] : []),
    ...(spans.length + rejected.length === 0 ? ['No spans.'] : []),
  ].join('\n\n')
}

export const command: Command = {
  help,
  async run(args, { print }) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'sdk-name': { type: 'string', default: '' },
        'sdk-version': { type: 'string', default: '' },
        'brand-aliases': { type: 'string' },
      },
    })
    if (positionals.length > 1) throw new UsageError(`give one file, not ${positionals.length}.`)
    const aliases = values['brand-aliases']
    if (aliases !== undefined && !brandAliasPattern.test(aliases))
      throw new UsageError(`--brand-aliases ${aliases}: expected ${brandAliasesValid}.`)
    const body = await read(positionals[0])
    if (body.length === 0) throw new AppError('body_undecodable', 'The payload is empty.')
    const facts = { nowMs: Date.now(), sdkName: values['sdk-name'], sdkVersion: values['sdk-version'] }
    const explained = explainRequest(requestOf(body), facts, {
      maxDecodedBytes: maxBytes,
      brandAliases: brandAliasesOf(aliases),
      catalog: shippedCatalog(),
    })
    print(values.json ? JSON.stringify(explained) : describe(explained, values))
  },
}

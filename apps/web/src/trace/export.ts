// Exports a trace as Markdown (for people and models) or JSON (for programs).
import { cost, duration } from '../text/units.ts'
import { nameOf } from './list/draw.ts'
import type { Detail, TraceRef } from './load.ts'
import { errorLevel, levels, type TraceModel } from './model/model.ts'
import { textAt } from './model/packed.ts'

/** Maximum number of rows that are exported with their contents. The number is limited, because each of these rows needs a request. */
const mostContents = 40
const mostCharacters = 8_000

const cut = (text: string, length: number): string =>
  length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}\n… ${mostCharacters} of ${length} characters`

/** Chooses the rows with contents. Errors come first, then model calls, then other rows from the top. */
function chosen({ preorder, levels: level, types, texts, orphanage }: TraceModel): ReadonlySet<number> {
  const rank = (row: number) => (level[row] === errorLevel ? 0 : textAt(texts, types[row]!) === 'GENERATION' ? 1 : 2)
  const rows = Array.from(preorder).filter(row => row !== orphanage)
  return new Set(rows.sort((a, b) => rank(a) - rank(b)).slice(0, mostContents))
}

type Read = (observationId: string) => Promise<Detail>

async function detailsOf(model: TraceModel, read: Read): Promise<ReadonlyMap<number, Detail>> {
  const rows = [...chosen(model)]
  const found = new Map<number, Detail>()
  for (let at = 0; at < rows.length; at += 4) {
    const some = rows.slice(at, at + 4)
    const details = await Promise.all(some.map(row => read(textAt(model.ids, row))))
    for (const [index, row] of some.entries()) found.set(row, details[index]!)
  }
  return found
}

export async function traceAsMarkdown({ project, trace }: TraceRef, model: TraceModel, read: Read): Promise<string> {
  const { head } = model
  const details = await detailsOf(model, read)
  const lines = [
    `# ${head.name ?? trace}`,
    '',
    `trace ${trace} of project ${project}, ${new Date(head.startUs / 1000).toISOString()}, ${duration(model.totalUs / 1000)}, ${cost(head.cost)}, ${head.observations} observations, ${head.errors} errors`,
    '',
  ]
  for (const row of model.preorder) {
    const detail = details.get(row)
    const facts = [textAt(model.texts, model.types[row]!), duration((model.endsUs[row]! - model.startsUs[row]!) / 1000)]
    if (model.costs[row]! > 0) facts.push(cost(model.costs[row]!))
    if (model.levels[row] === errorLevel) facts.push(`**ERROR** ${textAt(model.texts, model.messages[row]!)}`)
    lines.push(`${'  '.repeat(model.depths[row]!)}- **${nameOf(model, row)}** (${facts.join(', ')})`)
    if (detail === undefined) continue
    const indent = '  '.repeat(model.depths[row]! + 1)
    for (const [title, text, length] of [
      ['input', detail.input, detail.inputLength],
      ['output', detail.output, detail.outputLength],
    ] as const) {
      if (length === 0) continue
      const fence = '`'.repeat((text.match(/`+/g) ?? []).reduce((most, each) => Math.max(most, each.length + 1), 3))
      lines.push(
        `${indent}${title}:`,
        `${indent}${fence}`,
        ...cut(text, length)
          .split('\n')
          .map(line => `${indent}${line}`),
        `${indent}${fence}`,
      )
    }
  }
  return `${lines.join('\n')}\n`
}

export async function traceAsJson({ project }: TraceRef, model: TraceModel, read: Read): Promise<string> {
  const details = await detailsOf(model, read)
  const idOf = (row: number) => (row < 0 || row === model.orphanage ? null : textAt(model.ids, row))
  const observations = Array.from(model.preorder)
    .filter(row => row !== model.orphanage)
    .map(row => ({
      id: idOf(row),
      parentObservationId: idOf(model.parents[row]!),
      name: nameOf(model, row),
      type: textAt(model.texts, model.types[row]!),
      level: levels[model.levels[row]!],
      startTime: new Date((model.head.startUs + model.startsUs[row]!) / 1000).toISOString(),
      durationMs: model.isRunning[row] === 1 ? null : (model.endsUs[row]! - model.startsUs[row]!) / 1000,
      cost: Number.isNaN(model.ownCosts[row]) ? null : model.ownCosts[row],
      tokens: model.ownTokens[row],
      ...contentsOf(details.get(row)),
    }))
  return JSON.stringify({ projectId: project, trace: model.head, observations }, undefined, 2)
}

function contentsOf(detail: Detail | undefined) {
  if (detail === undefined) return {}
  const { statusMessage, model, input, inputLength, output, outputLength, metadata } = detail
  return {
    ...{ statusMessage, model, input: cut(input, inputLength), output: cut(output, outputLength) },
    metadata: Object.fromEntries(metadata.map(({ name, text }) => [name, text])),
  }
}

// Builds the tree of a trace from the response of the legacy API.
import type { ResultOf } from '../../api/client.ts'
import type { WireTree } from '../model/model.ts'

export type OldTrace = ResultOf<'legacy.getTrace'>

const us = (time: string): number => Date.parse(time) * 1_000

function numbered() {
  const numbers = new Map<string, number>()
  return {
    of(text: string): number {
      const known = numbers.get(text) ?? numbers.size
      numbers.set(text, known)
      return known
    },
    all: () => [...numbers.keys()],
  }
}

export function treeOfOld(trace: OldTrace): WireTree {
  const rows = [...trace.observations].sort((a, b) => us(a.startTime) - us(b.startTime))
  const places = new Map(rows.map(({ id }, at) => [id, at]))
  const [texts, missing] = [numbered(), numbered()]
  const parentOf = (id: string | null) => (id === null ? -1 : (places.get(id) ?? -2 - missing.of(id)))
  const startUs = rows[0] === undefined ? us(trace.timestamp) : us(rows[0].startTime)
  const endsUs = rows.map(({ startTime, endTime }) => us(endTime ?? startTime))
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0)
  const columns = {
    ids: rows.map(({ id }) => id),
    parents: rows.map(({ parentObservationId }) => parentOf(parentObservationId)),
    names: rows.map(({ name }) => texts.of(name ?? '')),
    types: rows.map(({ type }) => texts.of(type)),
    levels: rows.map(({ level }) => texts.of(level)),
    models: rows.map(({ model }) => texts.of(model ?? '')),
    messages: rows.map(({ statusMessage }) => texts.of(statusMessage ?? '')),
    keys: rows.map(() => 0),
    starts: rows.map(({ startTime }, at) => us(startTime) - (at === 0 ? startUs : us(rows[at - 1]!.startTime))),
    durations: rows.map(({ startTime, endTime }) => (endTime === null ? null : us(endTime) - us(startTime))),
    firstTokens: rows.map(({ startTime, completionStartTime }) =>
      completionStartTime === null ? null : us(completionStartTime) - us(startTime),
    ),
    costs: rows.map(({ calculatedTotalCost }) => calculatedTotalCost),
    inputTokens: rows.map(({ promptTokens }) => promptTokens),
    outputTokens: rows.map(({ completionTokens }) => completionTokens),
    totalTokens: rows.map(({ totalTokens }) => totalTokens),
  }
  const { id, name, userId, sessionId, release, version, environment, tags, bookmarked, public: isPublic } = trace
  return {
    trace: {
      ...{ id, name, userId, sessionId, release, version, environment, tags, bookmarked, public: isPublic },
      observations: rows.length,
      errors: rows.filter(({ level }) => level === 'ERROR').length,
      running: rows.filter(({ endTime, type }) => endTime === null && type !== 'EVENT').length,
      ...{ startUs, endUs: endsUs.reduce((last, each) => Math.max(last, each), startUs) },
      cost: sum(row => row.calculatedTotalCost ?? 0),
      inputTokens: sum(row => row.promptTokens),
      outputTokens: sum(row => row.completionTokens),
    },
    maxRows: rows.length,
    texts: texts.all(),
    keySets: [[]],
    missing: missing.all(),
    columns,
    hidden: { rows: [], observations: [], costs: [], tokens: [], errors: [] },
  }
}

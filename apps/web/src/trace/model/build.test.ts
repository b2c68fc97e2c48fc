// Compares the results of the model with the results of simple but slow code.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildModel } from './build.ts'
import { childWithMost, errorChain, findNames, nameIndex } from './find.ts'
import { rowOf, type TraceModel, type WireTree } from './model.ts'
import { textAt } from './packed.ts'
import { entriesBelow, firstFolds, groupOfEntry, isGroup, reveal, visibleOf } from './visible.ts'

interface Span {
  readonly parent: number
  readonly name?: string
  readonly type?: string
  readonly level?: string
  readonly start: number
  readonly duration: number | null
  readonly cost?: number | null
  readonly tokens?: number
  readonly keys?: readonly string[]
}

/** Returns the server's response for these spans. The `parent` of a span is an index in `given`. */
function wireOf(given: readonly Span[]): WireTree {
  const order = given.map((_, at) => at).sort((a, b) => given[a]!.start - given[b]!.start)
  const rowAt = new Map(order.map((at, row) => [at, row]))
  const texts: string[] = []
  const word = (text: string) => (texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1)
  const keySets: number[][] = []
  const spans = order.map(at => given[at]!)
  let before = 0
  const starts = spans.map(({ start }) => {
    const delta = start - before
    before = start
    return delta
  })
  const none = spans.map(() => null)
  const ends = spans.map(({ start, duration }) => start + (duration ?? 0))
  const startUs = 1_700_000_000_000_000
  return {
    trace: {
      ...{ id: 't', observations: spans.length, errors: 0, running: 0, startUs, endUs: startUs + Math.max(0, ...ends) },
      ...{ cost: 0, inputTokens: 0, outputTokens: 0, name: null, userId: null, sessionId: null, release: null, version: null },
      ...{ environment: null, tags: [], bookmarked: false, public: false },
    },
    maxRows: 100_000,
    hidden: { rows: [], observations: [], costs: [], tokens: [], errors: [] },
    columns: {
      ids: order.map(at => `id${at}`),
      parents: spans.map(({ parent }) => (parent >= 0 ? (rowAt.get(parent) ?? -2) : parent)),
      names: spans.map(({ name = 'n' }) => word(name)),
      types: spans.map(({ type = 'SPAN' }) => word(type)),
      levels: spans.map(({ level = 'DEFAULT' }) => word(level)),
      models: spans.map(() => word('')),
      messages: spans.map(() => word('')),
      keys: spans.map(({ keys = [] }) => keySets.push(keys.map(word)) - 1),
      starts,
      durations: spans.map(({ duration }) => duration),
      firstTokens: none,
      costs: spans.map(({ cost = null }) => cost),
      inputTokens: spans.map(() => 0),
      outputTokens: spans.map(({ tokens = 0 }) => tokens),
      totalTokens: none,
    },
    texts,
    keySets,
    missing: ['gone'],
  }
}

const modelOf = (spans: readonly Span[]) => buildModel(wireOf(spans), 'parent not yet arrived')
const namesOf = (model: TraceModel, rows: Iterable<number>) => Array.from(rows, row => textAt(model.texts, model.names[row]!))

describe('a trace of an agent', () => {
  const spans: readonly Span[] = [
    { parent: -1, name: 'answer', type: 'AGENT', start: 0, duration: 1_000 },
    { parent: 0, name: 'search', type: 'TOOL', start: 100, duration: 300, cost: 0.1 },
    { parent: 0, name: 'chat', type: 'GENERATION', start: 350, duration: 450, cost: 0.2, tokens: 7, level: 'ERROR', keys: ['user.plan'] },
    { parent: 2, name: 'write', start: 400, duration: 200, tokens: 3, level: 'ERROR' },
    { parent: -2, name: 'late', start: 500, duration: null },
  ]
  const model = modelOf(spans)
  const row = (id: number) => rowOf(model, textAt, `id${id}`)

  test('is a tree in the order of time, with orphans below a separate row', () => {
    expect(namesOf(model, model.preorder)).toEqual(['answer', 'search', 'chat', 'write', 'parent not yet arrived', 'late'])
    expect(Array.from(model.preorder, each => model.depths[each])).toEqual([0, 1, 1, 2, 0, 1])
    expect([model.sizes[row(0)], model.errors[row(0)], model.tokens[row(0)]]).toEqual([4, 2, 10])
    expect(model.costs[row(0)]).toBeCloseTo(0.3)
    expect(model.ownCosts[row(0)]).toBeNaN()
    expect([model.isRunning[row(4)], model.endsUs[row(4)]]).toEqual([1, 1_000])
  })

  test('has self times and waits', () => {
    expect(model.selfUs[row(0)]).toBe(1_000 - 700)
    expect(model.selfUs[row(2)]).toBe(250)
    const { begins, us } = model.gaps
    expect([...us.slice(2 * begins[row(0)]!, 2 * begins[row(0) + 1]!)]).toEqual([0, 100, 800, 1_000])
  })

  test('has a critical path, computed backwards from the child that finishes last', () => {
    const alone = modelOf(spans.slice(0, 4))
    const said = alone.path.map(({ row: at, fromUs, toUs }) => [at < 0 ? '-' : namesOf(alone, [at])[0], fromUs, toUs])
    // No other child had finished before the chat began, so the part of the path before the chat contains only the root.
    expect(said).toEqual([
      ['answer', 0, 350],
      ['chat', 350, 400],
      ['write', 400, 600],
      ['chat', 600, 800],
      ['answer', 800, 1_000],
    ])
    expect(alone.waits).toEqual({ parts: [{ name: 'write', us: 200 }], nothingUs: 800 })
  })

  test('finds chains of errors, the child with the highest value, and names', () => {
    expect(namesOf(model, [...model.failed])).toEqual(['chat', 'write'])
    expect(namesOf(model, errorChain(model, row(3)))).toEqual(['write', 'chat'])
    expect(childWithMost(model, row(0), each => model.costs[each]!)).toBe(row(2))
    expect(childWithMost(model, row(1), () => 0)).toBe(-1)
    const index = nameIndex(model)
    const found = (text: string) => namesOf(model, findNames(model, index, text))
    expect([found('RCH'), found('tool'), found('plan'), found('  '), found('parent')]).toEqual([['search'], ['search'], ['chat'], [], []])
  })
})

describe('shown rows', () => {
  test('five equal leaves are one row until they are unfolded; failed leaves keep their own rows', () => {
    const leaves: readonly Span[] = Array.from({ length: 7 }, (_, at) => ({
      ...{ parent: 0, name: 'search', type: 'TOOL', start: at, duration: 10 * at },
      ...(at === 3 && { level: 'ERROR' }),
    }))
    const model = modelOf([{ parent: -1, name: 'root', start: 0, duration: 99 }, ...leaves])
    const folds = firstFolds(model, -1)
    const { entries, positions, counts, depths } = visibleOf(model, folds)
    expect(entries).toHaveLength(3)
    expect([isGroup(entries[1]!), positions[2], counts[2], depths[2]]).toEqual([true, 2, 2, 2])
    expect(model.groups.p50Us[groupOfEntry(entries[1]!)]).toBe(20)
    reveal(model, folds, rowOf(model, textAt, 'id7'))
    expect(visibleOf(model, folds).entries).toHaveLength(9)
  })

  test('at first, shows at most 200 rows and every error', () => {
    const deep: readonly Span[] = Array.from({ length: 3_000 }, (_, at) => ({
      ...{ parent: at === 0 ? -1 : Math.floor((at - 1) / 4), name: `n${at}`, start: at, duration: 1 },
      ...(at === 2_900 && { level: 'ERROR' }),
    }))
    const model = modelOf(deep)
    expect(visibleOf(model, { rows: new Uint8Array(model.rows), groups: new Uint8Array(0) }).entries).toHaveLength(1)
    const { entries } = visibleOf(model, firstFolds(model, -1))
    expect(entries.length).toBeLessThan(220)
    expect(namesOf(model, entries)).toContain('n2900')
  })
})

const anySpan = fc.record({
  parent: fc.integer({ min: -2, max: 30 }),
  name: fc.constantFrom('a', 'b'),
  level: fc.constantFrom('DEFAULT', 'ERROR'),
  start: fc.integer({ min: 0, max: 200 }),
  duration: fc.option(fc.integer({ min: 0, max: 100 })),
  cost: fc.option(fc.integer({ min: 0, max: 9 })),
  tokens: fc.nat(9),
})
const anyTrace = fc.array(anySpan, { maxLength: 30 })

function isBelow(model: TraceModel, row: number, above: number): boolean {
  for (let at = row, steps = 0; at !== -1; at = model.parents[at]!) {
    if (at === above) return true
    expect(++steps).toBeLessThanOrEqual(model.rows)
  }
  return false
}

test('for any parents, every row is below a root exactly once, and sums cover all rows below', () => {
  fc.assert(
    fc.property(anyTrace, spans => {
      const model = modelOf(spans)
      expect([...model.preorder].sort((a, b) => a - b)).toEqual(Array.from({ length: model.rows }, (_, row) => row))
      for (let row = 0; row < model.rows; row++) {
        const below = Array.from({ length: model.rows }, (_, at) => at).filter(at => isBelow(model, at, row))
        const sum = (of: (at: number) => number) => below.reduce((total, at) => total + of(at), 0)
        expect(model.sizes[row]).toBe(below.length)
        expect(model.costs[row]).toBe(sum(at => model.ownCosts[at]! || 0))
        expect(model.tokens[row]).toBe(sum(at => model.ownTokens[at]!))
        expect(model.errors[row]).toBe(sum(at => (model.levels[at] === 3 ? 1 : 0)))
        expect(below.map(at => model.places[at]!).sort((a, b) => a - b)).toEqual(below.map((_, n) => model.places[row]! + n))
      }
    }),
  )
})

test('self time is the time that no child covers', () => {
  fc.assert(
    fc.property(anyTrace, spans => {
      const model = modelOf(spans)
      for (let row = 0; row < model.rows; row++) {
        let free = 0
        for (let us = model.startsUs[row]!; us < model.endsUs[row]!; us++) {
          const covers = (child: number) => model.parents[child] === row && model.startsUs[child]! <= us && us < model.endsUs[child]!
          if (!model.parents.some((_, child) => covers(child))) free++
        }
        expect(model.selfUs[row]).toBe(free)
      }
    }),
  )
})

test('the critical path covers the trace without overlap, with rows that run', () => {
  fc.assert(
    fc.property(anyTrace, spans => {
      const model = modelOf(spans)
      let at = 0
      for (const { row, fromUs, toUs } of model.path) {
        expect(fromUs).toBe(at)
        expect(toUs).toBeGreaterThan(fromUs)
        if (row >= 0) expect([model.startsUs[row]! <= fromUs, toUs <= model.endsUs[row]!, model.isOnPath[row]]).toEqual([true, true, 1])
        at = toUs
      }
      expect(at).toBe(model.totalUs)
    }),
  )
})

test('each unfolded row is shown once, for any folds', () => {
  fc.assert(
    fc.property(anyTrace, fc.integer(), (spans, seed) => {
      const model = modelOf(spans)
      const folds = {
        rows: Uint8Array.from({ length: model.rows }, (_, row) => (seed >> (row % 31)) & 1),
        groups: Uint8Array.from(model.groups.p50Us, (_, group) => (seed >> (group % 7)) & 1),
      }
      const { entries, depths, positions, counts } = visibleOf(model, folds)
      expect(new Set(entries).size).toBe(entries.length)
      const isShown = (row: number): boolean => row === -1 || (folds.rows[row] === 1 && isShown(model.parents[row]!))
      const expected = Array.from({ length: model.rows }, (_, row) => row).filter(
        row => isShown(model.parents[row]!) && (model.groups.of[row]! < 0 || folds.groups[model.groups.of[row]!] === 1),
      )
      expect([...entries].filter(entry => !isGroup(entry)).sort((a, b) => a - b)).toEqual(expected)
      for (const [at, position] of positions.entries()) expect(position).toBeLessThanOrEqual(counts[at]!)
      expect(entriesBelow(model, model.rows)).toBe(depths.filter(depth => depth === 1).length)
    }),
  )
})

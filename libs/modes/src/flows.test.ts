import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { flows, outcomesFor, readersOf, sourcesFor, sourcesOf } from './flows.ts'
import { groupNames, topicNames } from './names.ts'
import { writeModes } from './write-mode.ts'

const { writer, propagator, merger, ledger } = groupNames

// Told once more, mode by mode instead of topic by topic, so that the two can disagree.
const expected: Record<string, string> = {
  'legacy spans.direct → svc.writer': 'observations',
  'legacy spans.overflow → svc.writer': 'observations',
  'legacy spans.staging → svc.writer': '',
  'legacy spans.staging → svc.propagator': 'spans.filled, trace.attributes, ledger',
  'legacy spans.filled → svc.writer': 'events_full',
  'legacy spans.direct → svc.merger': 'trace.parts',
  'legacy spans.overflow → svc.merger': 'trace.parts',
  'legacy spans.staging → svc.merger': '',
  'legacy ingestion → svc.merger': 'entities, trace.parts',
  'legacy trace.parts → svc.merger': 'entities, trace.parts',
  'legacy entities → svc.writer': 'traces, observations',
  'legacy scores → svc.writer': 'scores',
  'legacy ledger → svc.ledger': 'ingest_ledger',
  'dual spans.direct → svc.writer': 'observations, events_full',
  'dual spans.overflow → svc.writer': 'observations, events_full',
  'dual spans.staging → svc.writer': 'observations',
  'dual spans.staging → svc.propagator': 'spans.filled, trace.attributes, ledger',
  'dual spans.filled → svc.writer': 'events_full',
  'dual spans.direct → svc.merger': 'trace.parts',
  'dual spans.overflow → svc.merger': 'trace.parts',
  'dual spans.staging → svc.merger': 'trace.parts',
  'dual ingestion → svc.merger': 'entities, trace.parts',
  'dual trace.parts → svc.merger': 'entities, trace.parts',
  'dual entities → svc.writer': 'traces, observations',
  'dual scores → svc.writer': 'scores',
  'dual ledger → svc.ledger': 'ingest_ledger',
  'events_only spans.direct → svc.writer': 'events_full',
  'events_only spans.overflow → svc.writer': 'events_full',
  'events_only spans.staging → svc.writer': '',
  'events_only spans.staging → svc.propagator': 'spans.filled, trace.attributes, ledger',
  'events_only spans.filled → svc.writer': 'events_full',
  'events_only spans.direct → svc.merger': '',
  'events_only spans.overflow → svc.merger': '',
  'events_only spans.staging → svc.merger': '',
  'events_only ingestion → svc.merger': 'entities, trace.parts',
  'events_only trace.parts → svc.merger': 'entities, trace.parts',
  'events_only entities → svc.writer': '',
  'events_only scores → svc.writer': 'scores',
  'events_only ledger → svc.ledger': 'ingest_ledger',
}

test('every topic in every mode', () => {
  const actual = writeModes.flatMap(mode => flows.map(flow => [`${mode} ${flow.topic} → ${flow.group}`, flow[mode].join(', ')]))
  expect(Object.fromEntries(actual)).toEqual(expected)
})

test('the README has the table', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ')
  const rows = flows.map(flow =>
    [flow.topic, flow.group, ...writeModes.map(mode => flow[mode].join(', ') || '–')].map(cell => `| ${cell} `).join(''),
  )
  const lacking = rows.filter(row => !readme.includes(`${row}|\n`))
  expect(lacking, 'rows that the table of libs/modes/README.md lacks').toEqual([])
})

test('no span reaches a table twice, and in every mode each way ends in the tables of the mode', () => {
  const tables = { legacy: ['observations'], dual: ['events_full', 'observations'], events_only: ['events_full'] }
  const tablesOf = (mode: (typeof writeModes)[number], topic: string) =>
    flows.filter(flow => flow.topic === topic && flow.group === writer).flatMap(flow => flow[mode])
  for (const mode of writeModes) {
    expect(tablesOf(mode, 'spans.direct').sort()).toEqual(tables[mode])
    expect(tablesOf(mode, 'spans.overflow').sort()).toEqual(tables[mode])
    if (mode === 'legacy') continue
    expect([...tablesOf(mode, 'spans.staging'), ...tablesOf(mode, 'spans.filled')].sort()).toEqual(tables[mode])
  }
})

test('the writer reads what has a table to go to', () => {
  const all = ['spans.direct', 'spans.overflow', 'spans.staging', 'spans.filled', 'entities', 'scores']
  expect(sourcesFor(writer, 'legacy')).toEqual(['spans.direct', 'spans.overflow', 'spans.filled', 'entities', 'scores'])
  expect(sourcesFor(writer, 'dual')).toEqual(all)
  expect(sourcesFor(writer, 'events_only')).toEqual(['spans.direct', 'spans.overflow', 'spans.filled', 'scores'])
})

test('a table is fed from every topic that has its spans', () => {
  expect(sourcesOf('events_full', 'legacy')).toEqual(['spans.filled'])
  expect(sourcesOf('events_full', 'dual')).toEqual(['spans.direct', 'spans.overflow', 'spans.filled'])
  expect(sourcesOf('events_full', 'events_only')).toEqual(['spans.direct', 'spans.overflow', 'spans.filled'])
  expect(sourcesOf('traces', 'dual')).toEqual(['entities'])
  expect(sourcesOf('observations', 'dual')).toEqual(['spans.direct', 'spans.overflow', 'spans.staging', 'entities'])
  expect(sourcesOf('traces', 'events_only')).toEqual([])
})

test('what an earlier mode staged is brought on in every mode, and what is brought on has its reader', () => {
  for (const mode of writeModes) {
    expect(readersOf('spans.staging', mode)).toContain(propagator)
    expect(outcomesFor(propagator, mode)).toEqual(['spans.filled', 'trace.attributes', 'ledger'])
    expect([readersOf('spans.filled', mode), readersOf('ledger', mode)]).toEqual([[writer], [ledger]])
  }
})

test('dead letters, attributes and commands are read without a group; a topic has one line for each of its groups', () => {
  const groupless = [topicNames.deadLetter, topicNames.traceAttributes, topicNames.commands]
  for (const mode of writeModes) expect(groupless.flatMap(topic => readersOf(topic, mode))).toEqual([])
  const read = new Set(flows.map(flow => flow.topic))
  expect(
    Object.values(topicNames)
      .filter(topic => !read.has(topic))
      .sort(),
  ).toEqual([...groupless].sort())
  expect(new Set(flows.map(flow => `${flow.topic} ${flow.group}`)).size).toBe(flows.length)
})

test('the rows of traces are merged: every span of an old table also speaks for its trace, and what was accepted is merged in every mode', () => {
  for (const mode of writeModes) {
    const ofTables = sourcesOf('observations', mode).filter(topic => topic.startsWith('spans.'))
    expect(sourcesFor(merger, mode).filter(topic => topic.startsWith('spans.'))).toEqual(ofTables)
    expect(sourcesFor(merger, mode)).toEqual(expect.arrayContaining(['ingestion', 'trace.parts']))
  }
})

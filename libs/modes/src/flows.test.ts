import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { flows, isAlwaysStored, isServed, readersOf, sourcesOf, tablesInTheEnd, tablesOf, topicsOf } from './flows.ts'
import { groupNames, topicNames } from './names.ts'
import { writeModes } from './write-mode.ts'

const { writer, propagator, merger, ledger, deletions } = groupNames

// This list is ordered by mode, but the tested list is ordered by topic. A comparison of the lists therefore reveals an error in either of
// them.
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
  'legacy run.items → svc.writer': 'dataset_run_items_rmt',
  'legacy sdk.usage → svc.writer': 'sdk_usage',
  'legacy ledger → svc.ledger': 'ingest_ledger',
  'legacy commands → svc.merger': 'trace.parts',
  'legacy commands → svc.deletions': '',
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
  'dual run.items → svc.writer': 'dataset_run_items_rmt',
  'dual sdk.usage → svc.writer': 'sdk_usage',
  'dual ledger → svc.ledger': 'ingest_ledger',
  'dual commands → svc.merger': 'trace.parts',
  'dual commands → svc.deletions': '',
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
  'events_only entities → svc.writer': 'traces, observations',
  'events_only scores → svc.writer': 'scores',
  'events_only run.items → svc.writer': 'dataset_run_items_rmt',
  'events_only sdk.usage → svc.writer': 'sdk_usage',
  'events_only ledger → svc.ledger': 'ingest_ledger',
  'events_only commands → svc.merger': 'trace.parts',
  'events_only commands → svc.deletions': '',
}

test('lists the destinations of every topic in every mode', () => {
  const actual = writeModes.flatMap(mode => flows.map(flow => [`${mode} ${flow.topic} → ${flow.group}`, flow[mode].join(', ')]))
  expect(Object.fromEntries(actual)).toEqual(expected)
})

test('the README contains the table of flows', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ')
  const rows = flows.map(flow =>
    [flow.topic, flow.group, ...writeModes.map(mode => flow[mode].join(', ') || '–')].map(cell => `| ${cell} `).join(''),
  )
  const lacking = rows.filter(row => !readme.includes(`${row}|\n`))
  expect(lacking, 'rows that the table of libs/modes/README.md lacks').toEqual([])
})

test('no span reaches a table twice, and every path ends in the tables of the record’s mode', () => {
  const tables = { legacy: ['observations'], dual: ['events_full', 'observations'], events_only: ['events_full'] }
  for (const mode of writeModes) {
    expect([...tablesOf('spans.direct', mode)].sort()).toEqual(tables[mode])
    expect([...tablesOf('spans.overflow', mode)].sort()).toEqual(tables[mode])
    // In mode `legacy`, the gateway stages no spans. A record on spans.staging was therefore accepted in another mode. Its spans belong in
    // the events tables.
    expect([...tablesInTheEnd('spans.staging', mode)].sort()).toEqual(mode === 'legacy' ? ['events_full'] : tables[mode])
    expect(tablesInTheEnd('spans.direct', mode)).toEqual(tablesOf('spans.direct', mode))
  }
})

test('a group reads its topics in every mode, because they may contain records of every mode', () => {
  expect(topicsOf(writer)).toEqual([
    'spans.direct',
    'spans.overflow',
    'spans.staging',
    'spans.filled',
    'entities',
    'scores',
    'run.items',
    'sdk.usage',
  ])
  expect(topicsOf(propagator)).toEqual(['spans.staging'])
  expect(topicsOf(merger)).toEqual(['spans.direct', 'spans.overflow', 'spans.staging', 'ingestion', 'trace.parts', 'commands'])
  expect(topicsOf(ledger)).toEqual(['ledger'])
  expect(topicsOf(deletions)).toEqual(['commands'])
})

test('a topic retains records for its readers, and only two topics have none', () => {
  expect(readersOf('spans.staging')).toEqual([writer, propagator, merger])
  expect(readersOf('spans.filled')).toEqual([writer])
  expect(readersOf('ledger')).toEqual([ledger])
  const groupless = Object.values(topicNames).filter(topic => readersOf(topic).length === 0)
  expect(groupless).toEqual(['trace.attributes', 'dead-letter'])
  expect(new Set(flows.map(flow => `${flow.topic} ${flow.group}`)).size).toBe(flows.length)
})

test('the sources of a table are the topics that name it', () => {
  for (const mode of writeModes) {
    for (const table of [
      'traces',
      'observations',
      'events_full',
      'scores',
      'dataset_run_items_rmt',
      'sdk_usage',
      'ingest_ledger',
    ] as const) {
      const named = Object.values(topicNames).filter(topic => tablesOf(topic, mode).includes(table))
      expect([...sourcesOf(table, mode)].sort()).toEqual(named.sort())
    }
  }
  expect(sourcesOf('observations', 'dual')).toEqual(['spans.direct', 'spans.overflow', 'spans.staging', 'entities'])
})

test('only staged records may yield no row of the writer', () => {
  expect(topicsOf(writer).filter(topic => !isAlwaysStored(topic))).toEqual(['spans.staging'])
})

test('the merger reads every span topic of the old tables and every accepted legacy event', () => {
  for (const mode of writeModes) {
    const ofTables = sourcesOf('observations', mode).filter(topic => topic.startsWith('spans.'))
    const merged = topicsOf(merger).filter(topic => topic.startsWith('spans.') && isServed(topic, merger, mode))
    expect(merged).toEqual(ofTables)
  }
  expect(topicsOf(merger)).toEqual(expect.arrayContaining(['ingestion', 'trace.parts']))
})

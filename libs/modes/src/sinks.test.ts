import { expect, test } from 'vitest'
import { sinksFor, sources, sourcesFor } from './sinks.ts'
import { writeModes } from './write-mode.ts'

const expected: Record<string, string> = {
  'legacy spans.direct': 'traces, observations',
  'legacy spans.overflow': 'traces, observations',
  'legacy spans.staging': '',
  'legacy spans.filled': 'events_full',
  'legacy ingestion': 'traces, observations',
  'legacy scores': 'scores',
  'dual spans.direct': 'traces, observations, events_full',
  'dual spans.overflow': 'traces, observations, events_full',
  'dual spans.staging': 'traces, observations',
  'dual spans.filled': 'events_full',
  'dual ingestion': 'traces, observations',
  'dual scores': 'scores',
  'events_only spans.direct': 'events_full',
  'events_only spans.overflow': 'events_full',
  'events_only spans.staging': '',
  'events_only spans.filled': 'events_full',
  'events_only ingestion': '',
  'events_only scores': 'scores',
}

test('every topic in every mode', () => {
  const actual = writeModes.flatMap(mode => sources.map(source => [`${mode} ${source}`, sinksFor(mode, source).join(', ')]))
  expect(Object.fromEntries(actual)).toEqual(expected)
})

test('no span reaches a table twice, and in every mode each way ends in the tables of the mode', () => {
  const tables = { legacy: ['observations', 'traces'], dual: ['events_full', 'observations', 'traces'], events_only: ['events_full'] }
  for (const mode of writeModes) {
    expect([...sinksFor(mode, 'spans.direct')].sort()).toEqual(tables[mode])
    if (mode === 'legacy') continue
    const staged = [...sinksFor(mode, 'spans.staging'), ...sinksFor(mode, 'spans.filled')]
    expect(staged.sort()).toEqual(tables[mode])
  }
})

test('the writer reads what has a table to go to', () => {
  expect(sourcesFor('legacy')).toEqual(['spans.direct', 'spans.overflow', 'spans.filled', 'ingestion', 'scores'])
  expect(sourcesFor('dual')).toEqual([...sources])
  expect(sourcesFor('events_only')).toEqual(['spans.direct', 'spans.overflow', 'spans.filled', 'scores'])
})

import { readersOf as readersInFlows } from '@svc-server/modes/flows'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { expect, test } from 'vitest'
import { topicSpecs } from './topics.ts'

const groups = Object.values(groupNames)
const hour = 3_600_000
const readersOf = (enabledReaders: readonly string[] = groups) =>
  Object.fromEntries(topicSpecs({ embedded: true, enabledReaders }).map(spec => [spec.name, spec.readers]))

test('every topic is declared once, with its designed retention', () => {
  const specs = topicSpecs({ embedded: false, enabledReaders: groups })
  expect(specs.map(s => s.name)).toEqual(Object.values(topicNames))
  expect(Object.fromEntries(specs.map(s => [s.name, `${s.partitions} ${s.cleanup} ${s.retentionMs / hour} h`]))).toEqual({
    'spans.direct': '8 delete 168 h',
    'spans.staging': '8 delete 168 h',
    'spans.filled': '8 delete 168 h',
    'trace.attributes': '8 compact,delete 48 h',
    ledger: '4 delete 168 h',
    'spans.overflow': '4 delete 168 h',
    ingestion: '4 delete 168 h',
    'trace.parts': '4 delete 168 h',
    entities: '4 compact,delete 168 h',
    scores: '4 delete 168 h',
    'run.items': '4 delete 168 h',
    'sdk.usage': '4 delete 168 h',
    commands: '4 compact,delete 744 h',
    'dead-letter': '4 delete 720 h',
  })
  const mib = 1024 * 1024
  for (const { name, maxRecordBytes } of specs)
    expect([name, maxRecordBytes]).toEqual([name, name === 'spans.filled' ? 8.5 * mib : 8 * mib])
  expect(specs.filter(s => s.maxTopicBytes !== undefined).map(s => [s.name, s.dropsOldest])).toEqual([['dead-letter', true]])
})

test('the embedded log has two partitions per topic and a size limit on each topic', () => {
  const specs = topicSpecs({ embedded: true, enabledReaders: groups, maxTopicBytes: { ledger: 1000 } })
  expect(new Set(specs.map(s => s.partitions))).toEqual(new Set([2]))
  expect(specs.find(s => s.name === 'spans.direct')!.maxTopicBytes).toBe(20 * 1024 ** 3)
  expect(specs.find(s => s.name === 'ledger')!.maxTopicBytes).toBe(1000)
})

test('on the embedded log, staging has a reserve of one topic’s size for the entities that the merger creates from parts', () => {
  const reserves = topicSpecs({ embedded: true, enabledReaders: groups }).flatMap(({ name, reserve }) => (reserve ? [[name, reserve]] : []))
  expect(reserves).toEqual([['spans.staging', { of: 'trace.parts', bytes: 20 * 1024 ** 3 }]])
  expect(topicSpecs({ embedded: false, enabledReaders: groups }).filter(({ reserve }) => reserve)).toEqual([])
})

test('staging, filled and attributes share one partition count', () => {
  const specs = topicSpecs({ embedded: false, enabledReaders: groups, partitions: { staging: 16 } })
  const counts = ['spans.staging', 'spans.filled', 'trace.attributes'].map(name => specs.find(s => s.name === name)!.partitions)
  expect(counts).toEqual([16, 16, 16])
})

test('only enabled readers hold back retention', () => {
  expect(readersOf([groupNames.writer])['spans.staging']).toEqual(['svc.writer'])
  expect(readersOf()['spans.staging']).toEqual(['svc.writer', 'svc.propagator', 'svc.merger'])
  expect(readersOf([groupNames.writer])['ledger']).toEqual([])
  expect(readersOf([])).toEqual(Object.fromEntries(Object.values(topicNames).map(name => [name, []])))
})

test('no reader holds back dead letters and attributes, and commands are retained until they are carried out', () => {
  const readers = readersOf()
  expect([readers['dead-letter'], readers['trace.attributes'], readers['commands']]).toEqual([[], [], ['svc.merger', 'svc.deletions']])
})

test('every group holds back retention on exactly the topics that it reads', () => {
  expect(readersOf()).toEqual(Object.fromEntries(Object.values(topicNames).map(name => [name, readersInFlows(name)])))
})

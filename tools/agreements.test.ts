// Facts that stand in two packages because neither may import the other, held together.
import { expect, test } from 'vitest'
import { groupOnBrokers } from '../libs/log/src/kafka/group-name.ts'
import type { TopicSpec as LogTopicSpec } from '../libs/log/src/port.ts'
import { sourcesFor, writeModes } from '../libs/modes/src/index.ts'
import { defaultTopicPrefix, groupNames, type TopicSpec, topicNames, topicSpecs } from '../libs/schema/src/index.ts'

const groups = Object.values(groupNames)

test('the topics of schema are topics of the log', () => {
  const specs: readonly LogTopicSpec[] = topicSpecs({
    embedded: true,
    writeMode: 'dual',
    enabledReaders: groups,
  }) satisfies readonly TopicSpec[]
  expect(specs).toHaveLength(Object.keys(topicNames).length)
})

test.each(writeModes)('%s: the writer holds retention on exactly the topics that it reads', writeMode => {
  const specs = topicSpecs({ embedded: true, writeMode, enabledReaders: groups })
  const held = specs.filter(spec => spec.readers.includes(groupNames.writer)).map(spec => spec.name)
  expect(held.sort()).toEqual([...sourcesFor(writeMode)].sort())
})

test('on the brokers groups are called what the design calls them, and under another prefix begin with that', () => {
  expect(groups.map(group => groupOnBrokers(defaultTopicPrefix, group))).toEqual(groups)
  expect(groups.map(group => groupOnBrokers('x.', group))).toEqual(['x.writer', 'x.propagator', 'x.ledger'])
})

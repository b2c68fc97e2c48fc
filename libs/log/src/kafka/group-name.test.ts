import { defaultTopicPrefix, groupNames } from '@svc-server/modes/names'
import { expect, test } from 'vitest'
import { groupOnBrokers } from './group-name.ts'

const groups = Object.values(groupNames)

test('on the brokers groups are called what the design calls them, and under another prefix begin with that', () => {
  expect(groups.map(group => groupOnBrokers(defaultTopicPrefix, group))).toEqual(groups)
  expect(groups.map(group => groupOnBrokers('x.', group))).toEqual(['x.writer', 'x.propagator', 'x.merger', 'x.ledger', 'x.deletions'])
})

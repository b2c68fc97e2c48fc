import { defaultTopicPrefix, groupNames } from '@svc-server/modes/names'
import { expect, test } from 'vitest'
import { groupOnBrokers } from './group-name.ts'

const groups = Object.values(groupNames)

test('groups have their designed names under the default prefix, and begin with any other prefix', () => {
  expect(groups.map(group => groupOnBrokers(defaultTopicPrefix, group))).toEqual(groups)
  expect(groups.map(group => groupOnBrokers('x.', group))).toEqual(['x.writer', 'x.propagator', 'x.merger', 'x.ledger', 'x.deletions'])
})

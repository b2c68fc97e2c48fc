// Two events of an entity can have the same millisecond. The merger orders these events by id, not by their order in the batch. If a
// published SDK set two different values of one field in the same millisecond, the order by id could let the earlier value win. This test
// checks that the recorded SDKs never do this.
import { ingestionFixtures } from '@svc-server/testkit'
import { expect, test } from 'vitest'

const isUpdate = (type: string) => type.endsWith('-update')

test('no two tied events of a recorded SDK set different values of one field', () => {
  let events = 0
  let ties = 0
  const disagreements: string[] = []
  for (const { client, body } of ingestionFixtures()) {
    const entities = Map.groupBy(body.batch, event => `${event.type.startsWith('trace-') ? 'trace' : 'observation'} ${event.body['id']}`)
    for (const [entity, said] of entities) {
      events += said.length
      for (const [at, a] of said.entries()) {
        for (const b of said.slice(at + 1)) {
          if (Date.parse(a.timestamp) !== Date.parse(b.timestamp) || isUpdate(a.type) !== isUpdate(b.type)) continue
          ties += 1
          const different = Object.keys(a.body).filter(
            name => name in b.body && JSON.stringify(a.body[name]) !== JSON.stringify(b.body[name]),
          )
          if (different.length > 0) disagreements.push(`${client}: ${entity}: ${different.join()}`)
        }
      }
    }
  }
  expect(disagreements).toEqual([])
  expect(events).toBeGreaterThan(20)
  expect(ties).toBeGreaterThan(0)
})

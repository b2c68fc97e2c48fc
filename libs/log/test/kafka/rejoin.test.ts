// As long as the coordinator is not ready, a member must keep trying to join its group. The test uses the runner of kafkajs, and replaces
// the coordinator by prepared responses.
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const require = createRequire(import.meta.url)

interface Runner {
  start(): Promise<void>
  stop(): Promise<void>
}
const Runner = require('kafkajs/src/consumer/runner') as new (options: object) => Runner
const { KafkaJSProtocolError } = require('kafkajs/src/errors') as { KafkaJSProtocolError: new (error: object) => Error }

const refusal = (type: string, code: number, retriable: boolean) => new KafkaJSProtocolError({ type, code, retriable, message: type })
const loading = () => refusal('GROUP_LOAD_IN_PROGRESS', 14, true)
const moved = () => refusal('NOT_COORDINATOR_FOR_GROUP', 16, true)
const unknown = () => refusal('UNKNOWN_MEMBER_ID', 25, false)

/** Runs a group member whose first fetch fails with the error from `lost`. Returns the calls that the member then made on its group. */
async function run(lost: () => Error, joins: readonly (Error | null)[]): Promise<readonly string[]> {
  const said: string[] = []
  const silent = { namespace: () => silent, debug() {}, info() {}, warn() {}, error() {} }
  const joined = Promise.withResolvers<void>()
  const answers = [null, ...joins]
  let losses = 1
  const group = {
    groupId: 'g',
    memberId: 'm',
    connect: async () => {},
    leave: async () => {},
    getNodeIds: () => [1],
    heartbeat: async () => {},
    async joinAndSync() {
      const answer = answers.shift()
      said.push(answer ? 'join refused' : 'joined')
      if (answer) throw answer
      if (answers.length === 0) joined.resolve()
    },
    async fetch() {
      said.push('fetch')
      await new Promise(resolve => setTimeout(resolve, 1))
      if (losses-- > 0) throw lost()
      return []
    },
  }
  const runner = new Runner({
    logger: silent,
    consumerGroup: group,
    instrumentationEmitter: { emit: (name: string) => name === 'consumer.rebalancing' && said.push('rebalancing') },
    concurrency: 1,
    eachBatch: async () => {},
    onCrash: joined.reject,
    retry: { initialRetryTime: 1, maxRetryTime: 2, retries: 10 },
  })
  await runner.start()
  await joined.promise
  await runner.stop()
  const first = said.indexOf('fetch') + 1
  return said.slice(first, said.lastIndexOf('joined') + 1)
}

test('a member whose rejoin is refused temporarily retries until it has joined, and never continues in its former generation', async () => {
  const refused = ['join refused', 'join refused', 'joined']
  expect(await run(moved, [loading(), loading(), null])).toEqual(['rebalancing', ...refused])
  expect((await run(unknown, [loading(), loading(), null])).filter(said => said !== 'rebalancing')).toEqual(refused)
  expect((await run(moved, [loading(), moved(), null])).filter(said => said === 'fetch')).toEqual([])
})

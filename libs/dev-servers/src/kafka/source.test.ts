import { expect, test } from 'vitest'
import { environmentOf } from './container.ts'
import { majorVersion } from './distribution.ts'
import { type BrokerNeeds, type BrokerProbes, chooseBrokers } from './source.ts'

const anything: BrokerNeeds = { own: false, ofProcesses: [] }
const machine = (has: { given?: readonly string[]; processes?: boolean; containers?: boolean }): BrokerProbes & { asked: string[] } => {
  const asked: string[] = []
  const probe = (name: string, answer: boolean | undefined) => async () => {
    asked.push(name)
    return answer ?? false
  }
  return { asked, given: () => has.given, processes: probe('processes', has.processes), containers: probe('containers', has.containers) }
}
const all = { given: ['a:9092'], processes: true, containers: true }

test('given brokers are used, and nothing else is probed', async () => {
  const probes = machine(all)
  expect(await chooseBrokers(anything, probes)).toEqual({ kind: 'given', brokers: ['a:9092'] })
  expect(probes.asked).toEqual([])
})

test('a test that needs its own brokers ignores given brokers', async () => {
  expect(await chooseBrokers({ ...anything, own: true }, machine(all))).toEqual({ kind: 'processes' })
})

test('processes precede a container, and Docker is probed only when processes are impossible', async () => {
  const both = machine({ processes: true, containers: true })
  expect(await chooseBrokers(anything, both)).toEqual({ kind: 'processes' })
  expect(both.asked).toEqual(['processes'])
  expect(await chooseBrokers(anything, machine({ containers: true }))).toEqual({ kind: 'container' })
  expect(await chooseBrokers({ ...anything, own: true }, machine({ containers: true }))).toEqual({ kind: 'container' })
})

test('a requirement that a container cannot meet fails with the programs to install, with or without Docker', async () => {
  const needs = { own: true, ofProcesses: ['three brokers', 'a fault proxy before the broker'] }
  for (const containers of [true, false]) {
    await expect(chooseBrokers(needs, machine({ containers }))).rejects.toThrow(
      /^A Kafka broker needs Java 17 or newer and Maven, which are not installed: install them .*is not sufficient for three brokers, a fault proxy/,
    )
  }
})

test('without any source of brokers, the error names all three', async () => {
  await expect(chooseBrokers(anything, machine({}))).rejects.toThrow(
    /Java 17 or newer and Maven, or a Docker engine, and neither is installed: install them \(Debian: .*start Docker, or run a broker yourself, .*SVC_KAFKA_BROKERS=127\.0\.0\.1:9092\.$/,
  )
})

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['java version "25" 2025-09-16 LTS', 25],
  ['openjdk version "1.8.0_422"', 1],
  ['Unable to locate a Java Runtime.', 0],
])('reads %j as version %i', (said, version) => expect(majorVersion(said)).toBe(version))

test('a broker’s properties become environment variables of the image', () => {
  expect(environmentOf({ 'group.min.session.timeout.ms': 1000, 'a-b_c.d': true })).toEqual({
    KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
    KAFKA_A__B___C_D: 'true',
  })
})

// Runs a broker in a container, for machines with Docker but without Java. No test has run this module, because no development machine has
// a Docker engine. The module is loaded on demand, because its imports take a second.
import type { KafkaCluster } from './kafka-cluster.ts'
import { behaviour } from './server-properties.ts'

const image = 'confluentinc/cp-kafka:7.9.2'
const clientPort = 9093

export async function containersRun(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers')
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
}

export const environmentOf = (properties: Readonly<Record<string, string | number | boolean>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      // The image reads each property from an environment variable. In the name of this variable, one underscore means a dot, two mean a
      // dash, and three mean an underscore.
      `KAFKA_${name.replaceAll('_', '___').replaceAll('-', '__').replaceAll('.', '_').toUpperCase()}`,
      String(value),
    ]),
  )

const onlyProcesses = (what: string): Error =>
  new Error(
    `A container has no ${what}, which this test needs: install Java 17 or newer and Maven, so that brokers run as processes of this machine.`,
  )

export async function containerCluster(properties: Readonly<Record<string, string>>): Promise<KafkaCluster> {
  const { KafkaContainer } = await import('@testcontainers/kafka')
  // testcontainers chooses a port of the loopback address. testcontainers also stops the container when this process ends.
  const container = await new KafkaContainer(image)
    .withKraft()
    .withEnvironment(environmentOf({ ...behaviour(1), ...properties }))
    .start()
  const stop = async (): Promise<void> => {
    await container.stop()
  }
  const refuse = (what: string) => (): never => {
    throw onlyProcesses(what)
  }
  const rejects = (what: string) => async () => refuse(what)()
  return {
    brokers: [`${container.getHost()}:${container.getMappedPort(clientPort)}`],
    proxy: refuse('fault proxy before it'),
    kill: rejects('broker that can be killed'),
    restart: rejects('broker that can be killed'),
    pause: refuse('broker that stops by a signal'),
    resume: refuse('broker that stops by a signal'),
    pids: () => [],
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

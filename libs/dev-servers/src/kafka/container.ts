// One broker in a container, where Docker is and Java is not. Not run so far: the machines that this was
// written on have no Docker engine. What is imported here is loaded in that case only: it takes a second.
import type { KafkaCluster } from './kafka-cluster.ts'
import { behaviour } from './server-properties.ts'

const image = 'confluentinc/cp-kafka:7.9.2'
const clientPort = 9093

/** A Docker engine, or one that speaks like it, answers. */
export async function containersRun(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers')
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
}

/** A broker's properties as the image takes them. */
export const environmentOf = (properties: Readonly<Record<string, string | number | boolean>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      // A dot becomes an underscore; the image reads two for a dash and three for an underscore.
      `KAFKA_${name.replaceAll('_', '___').replaceAll('-', '__').replaceAll('.', '_').toUpperCase()}`,
      String(value),
    ]),
  )

const onlyProcesses = (what: string): Error =>
  new Error(
    `A container has no ${what}, which this test needs: install Java 17 or newer and Maven, and brokers are processes of this machine.`,
  )

export async function containerCluster(properties: Readonly<Record<string, string>>): Promise<KafkaCluster> {
  const { KafkaContainer } = await import('@testcontainers/kafka')
  // It finds a loopback port itself, tells the broker to advertise it, and leaves a reaper behind that ends
  // it with this process.
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

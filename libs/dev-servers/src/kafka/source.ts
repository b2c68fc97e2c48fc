// Chooses the source of a test's brokers: given brokers, else local processes, else a container. If there is no source, the tests fail with
// an error that names the remedy, because a skipped suite proves nothing.
import { givenBrokers } from './config.ts'
import { containersRun } from './container.ts'
import { canRunBrokers, kafkaVersion } from './distribution.ts'

/** Requirements of a test that not every source of brokers fulfills. */
export interface BrokerNeeds {
  /** The test needs its own brokers, so SVC_KAFKA_BROKERS is ignored. */
  readonly own: boolean
  /** Descriptions of features that only local processes provide. Empty when a container suffices. */
  readonly ofProcesses: readonly string[]
}

export type BrokerSource =
  | { readonly kind: 'given'; readonly brokers: readonly string[] }
  | { readonly kind: 'processes' }
  | { readonly kind: 'container' }

export interface BrokerProbes {
  given(): readonly string[] | undefined
  /** True when this machine has Java and Maven. */
  processes(): Promise<boolean>
  /** True when a Docker engine responds. */
  containers(): Promise<boolean>
}

const thisMachine: BrokerProbes = { given: givenBrokers, processes: canRunBrokers, containers: containersRun }

const install = 'install them (Debian: apt-get install default-jdk-headless maven)'
const runOne = `run a broker yourself, for example "docker run --rm -p 9092:9092 apache/kafka:${kafkaVersion}", and set SVC_KAFKA_BROKERS=127.0.0.1:9092`

/** Throws an error that names what is missing. */
export async function chooseBrokers(needs: BrokerNeeds, probes: BrokerProbes = thisMachine): Promise<BrokerSource> {
  const brokers = needs.own ? undefined : probes.given()
  if (brokers) return { kind: 'given', brokers }
  if (await probes.processes()) return { kind: 'processes' }
  if (needs.ofProcesses.length > 0) {
    throw new Error(
      `A Kafka broker is started with Java 17 or newer and Maven, which are not here: ${install}. A container does not do for ` +
        `${needs.ofProcesses.join(', ')}; for anything else, ${runOne}.`,
    )
  }
  if (await probes.containers()) return { kind: 'container' }
  throw new Error(
    `A Kafka broker is started with Java 17 or newer and Maven, or in a container, and here is neither them nor a Docker engine: ${install}, ` +
      `start Docker, or ${runOne}.`,
  )
}

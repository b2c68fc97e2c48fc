// Chooses existing brokers, local processes, or a container. If the machine has none of them, the tests fail, because a skipped suite
// proves nothing.
import { givenBrokers } from './config.ts'
import { containersRun } from './container.ts'
import { canRunBrokers, kafkaVersion } from './distribution.ts'

export interface BrokerNeeds {
  /** If true, SVC_KAFKA_BROKERS has no effect. */
  readonly own: boolean
  /** Required features that only brokers in local processes have. The error names them. If the list is empty, a container is sufficient. */
  readonly ofProcesses: readonly string[]
}

export type BrokerSource =
  | { readonly kind: 'given'; readonly brokers: readonly string[] }
  | { readonly kind: 'processes' }
  | { readonly kind: 'container' }

export interface BrokerProbes {
  given(): readonly string[] | undefined
  /** Resolves with true if Java and Maven are installed. */
  processes(): Promise<boolean>
  containers(): Promise<boolean>
}

const thisMachine: BrokerProbes = { given: givenBrokers, processes: canRunBrokers, containers: containersRun }

const install = 'install them (Debian: apt-get install default-jdk-headless maven)'
const runOne = `run a broker yourself, for example "docker run --rm -p 9092:9092 apache/kafka:${kafkaVersion}", and set SVC_KAFKA_BROKERS=127.0.0.1:9092`

/** If no brokers are available, the error names what the machine lacks. */
export async function chooseBrokers(needs: BrokerNeeds, probes: BrokerProbes = thisMachine): Promise<BrokerSource> {
  const brokers = needs.own ? undefined : probes.given()
  if (brokers) return { kind: 'given', brokers }
  if (await probes.processes()) return { kind: 'processes' }
  if (needs.ofProcesses.length > 0) {
    throw new Error(
      `A Kafka broker needs Java 17 or newer and Maven, which are not installed: ${install}. A container is not sufficient for ` +
        `${needs.ofProcesses.join(', ')}; for anything else, ${runOne}.`,
    )
  }
  if (await probes.containers()) return { kind: 'container' }
  throw new Error(
    `A Kafka broker needs Java 17 or newer and Maven, or a Docker engine, and neither is installed: ${install}, ` +
      `start Docker, or ${runOne}.`,
  )
}

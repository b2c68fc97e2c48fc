// Where the brokers of a test come from: those that are there, else processes of this machine, else a
// container. Where none is possible the tests fail with a sentence that says what to do; a suite that passes
// because it did not run proves nothing.
import { givenBrokers } from './config.ts'
import { containersRun } from './container.ts'
import { canRunBrokers, kafkaVersion } from './distribution.ts'

/** What a test wants of its brokers beyond their protocol. */
export interface BrokerNeeds {
  /** Brokers of its own: those that somebody else runs are not asked. */
  readonly own: boolean
  /** What only processes of this machine can do, in words; empty when a container does as well. */
  readonly ofProcesses: readonly string[]
}

export type BrokerSource =
  | { readonly kind: 'given'; readonly brokers: readonly string[] }
  | { readonly kind: 'processes' }
  | { readonly kind: 'container' }

export interface BrokerProbes {
  given(): readonly string[] | undefined
  /** Java and Maven are here. */
  processes(): Promise<boolean>
  /** A Docker engine answers. */
  containers(): Promise<boolean>
}

const thisMachine: BrokerProbes = { given: givenBrokers, processes: canRunBrokers, containers: containersRun }

const install = 'install them (Debian: apt-get install default-jdk-headless maven)'
const runOne = `run a broker yourself, for example "docker run --rm -p 9092:9092 apache/kafka:${kafkaVersion}", and set SVC_KAFKA_BROKERS=127.0.0.1:9092`

/** Throws the sentence that says what is missing. */
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

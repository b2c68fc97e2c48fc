// Causes the faults of a long run. `excuses` tells whether the probes of a service may fail because of a fault.
import { setTimeout as sleep } from 'node:timers/promises'
import type { createRandom } from '@svc-server/testkit'
import type { ServiceProcess } from '../src/service-process.ts'
import type { TestCluster } from './cluster.ts'

interface Fault {
  readonly what: string
  /** The affected service. Null if a store fails, because all consumers need the store. */
  readonly service: ServiceProcess | null
  /** Start and end of the fault. While the fault continues, `endedAt` is infinite. */
  readonly startedAt: number
  endedAt: number
}

export interface Faults {
  readonly all: readonly Fault[]
  readonly enginesKilled: number
  next(): Promise<void>
  excuses(service: ServiceProcess): boolean
}

type Random = ReturnType<typeof createRandom>

/** Maximum time for a restarted process to read its state and rejoin its group. */
const serviceRecoveryMs = 40_000
const storeRecoveryMs = 60_000
/** Every sixth fault affects a store. Between two faults of stores, the probes have enough time to recover. */
const faultsBetweenStores = 6

export function createFaults({ running }: TestCluster, random: Random): Faults {
  const { gateways, writers, propagators, stores } = running
  const services = [...gateways, ...writers, ...propagators]
  const all: Fault[] = []
  let enginesKilled = 0

  async function during(what: string, service: ServiceProcess | null, work: () => Promise<void>): Promise<void> {
    const fault: Fault = { what, service, startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY }
    all.push(fault)
    await work()
    fault.endedAt = performance.now()
  }

  const kill = (service: ServiceProcess) =>
    during(`kill -9 ${service.name}`, service, async () => {
      service.signal('SIGKILL')
      await service.ended()
      await service.start()
    })
  const freeze = (service: ServiceProcess, ms: number) =>
    during(`freeze ${service.name} ${ms} ms`, service, async () => {
      service.signal('SIGSTOP')
      await sleep(ms)
      service.signal('SIGCONT')
    })
  const killEngine = () =>
    during('kill -9 column store', null, async () => {
      enginesKilled++
      process.kill(stores.engine!.pid!, 'SIGKILL')
      await sleep(5_000)
    })
  const freezeEngine = (ms: number) =>
    during(`freeze column store ${ms} ms`, null, async () => {
      const { pid } = stores.engine!
      process.kill(pid!, 'SIGSTOP')
      await sleep(ms)
      // Continues the frozen process, unless a new engine process has replaced it.
      if (stores.engine!.pid === pid) process.kill(pid!, 'SIGCONT')
    })
  const freezeBroker = (ms: number) =>
    during(`freeze broker ${ms} ms`, null, async () => {
      stores.kafka!.pause(0)
      await sleep(ms)
      stores.kafka!.resume(0)
    })

  const storeFault = () => {
    const kind = random.integer(0, 2)
    if (kind === 0) return killEngine()
    return kind === 1 ? freezeEngine(random.integer(1_000, 8_000)) : freezeBroker(random.integer(500, 6_000))
  }

  return {
    all,
    get enginesKilled() {
      return enginesKilled
    },
    next() {
      if (all.length % faultsBetweenStores === faultsBetweenStores - 1) return storeFault()
      const service = services[random.integer(0, services.length - 1)]!
      return random.integer(0, 1) === 0 ? kill(service) : freeze(service, random.integer(500, 15_000))
    },
    excuses(service) {
      const isGateway = gateways.some(gateway => gateway === service)
      const now = performance.now()
      return all.some(fault => {
        if (fault.service === service) return now - fault.endedAt < serviceRecoveryMs
        // After a fault of a store, the probes of all services except the gateways may fail. The probe of a gateway does not depend on a
        // store.
        return fault.service === null && !isGateway && now - fault.endedAt < storeRecoveryMs
      })
    },
  }
}

// Starts an instance that a test file restarts in different write modes, with the same directory and ports. Each restart changes the
// exported variables, so read these variables only inside a test.
import { afterAll, beforeAll } from 'vitest'
import { instanceDirectory } from './directory.ts'
import { type Finished, freePorts, type Instance, type Ports, ready, startInstance, svc } from './instance.ts'

export interface Mode {
  readonly writeMode: string
  readonly behaviour: string
  readonly optIn: string
}

let directory: string
export let ports: Ports
let instance: Instance | undefined

export function fileHasAnInstance(): void {
  let remove: (() => Promise<void>) | undefined
  beforeAll(async () => {
    ports = await freePorts()
    ;({ path: directory, remove } = await instanceDirectory())
  })
  afterAll(async () => {
    if (instance !== undefined && !instance.ended()) await instance.end('SIGKILL')
    await remove?.()
  }, 60_000)
}

export function start({ writeMode, behaviour, optIn }: Mode, more: NodeJS.ProcessEnv = {}): Promise<Instance> {
  instance = startInstance(directory, ports, {
    SVC_MIGRATION_V4_WRITE_MODE: writeMode,
    SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: behaviour,
    SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: optIn,
    ...more,
  })
  return ready(instance)
}

export const svcOfInstance = (...argv: string[]): Promise<Finished> => svc(directory, ports, ...argv)

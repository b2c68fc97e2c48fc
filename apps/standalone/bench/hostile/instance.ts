// Starts a standalone that trusts a proxy and has two projects: the attacker's project and the neighbor's project.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@svc-server/testkit'
import { freePorts, type Instance, ready, startInstance } from '../../test/instance.ts'
import { createNeighbor } from '../../test/threat/neighbor.ts'
import { proxyAddress } from './connections.ts'

export interface HostileInstance {
  readonly instance: Instance
  readonly authorization: string
  stop(): Promise<void>
}

export async function startHostileInstance(): Promise<HostileInstance> {
  const directory = await temporaryDirectory()
  const web = join(directory.path, 'web')
  mkdirSync(join(web, 'assets'), { recursive: true })
  writeFileSync(join(web, 'index.html'), '<html><head></head></html>')
  writeFileSync(join(web, 'assets/large.js'), `//${'x'.repeat(1024 * 1024)}`)
  const [data, ports] = [join(directory.path, 'data'), await freePorts()]
  const environment = { SVC_LOG_LEVEL: 'error', SVC_WEB_DIR: web, SVC_TRUSTED_PROXIES: proxyAddress }
  const instance = await ready(startInstance(data, ports, environment))
  return {
    instance,
    authorization: await createNeighbor(data, ports),
    async stop() {
      await instance.end('SIGTERM')
      await directory.remove()
    },
  }
}

// Starts an additional gateway without load. Faults of this gateway disturb no other process.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServiceProcess, type ServiceProcess } from '../../../apps/cluster/src/service-process.ts'
import type { TestCluster } from '../../../apps/cluster/test/cluster.ts'
import { freePort } from '../../../libs/dev-servers/src/index.ts'
import { variablesOfService } from '../../../libs/service/src/definition/index.ts'
import { makeCertificate } from '../../../libs/testkit/src/index.ts'
import { otlpGateway } from '../../../services/otlp-gateway/src/service.ts'

const dayMs = 86_400_000

export interface SideGateway {
  readonly process: ServiceProcess
  /** Gives the gateway a certificate that became valid `daysAgo` days ago and expires in `daysMore` days. */
  certify(daysAgo: number, daysMore: number): void
  /** Replaces the key with a key that does not fit the certificate. */
  breakKey(): void
}

export async function startSideGateway({ running }: TestCluster, directory: string): Promise<SideGateway> {
  const files = { SVC_TLS_CERT_FILE: join(directory, 'cert.pem'), SVC_TLS_KEY_FILE: join(directory, 'key.pem') }
  const writePair = ({ cert, key }: { readonly cert: string; readonly key: string }) => {
    writeFileSync(files.SVC_TLS_CERT_FILE, cert)
    writeFileSync(files.SVC_TLS_KEY_FILE, key)
  }
  const certify = (daysAgo: number, daysMore: number) =>
    writePair(makeCertificate({ notBefore: new Date(Date.now() - daysAgo * dayMs), notAfter: new Date(Date.now() + daysMore * dayMs) }))
  certify(1, 90)
  const [http, grpc, probes] = [await freePort(), await freePort(), await freePort()]
  const env: Readonly<Record<string, string>> = {
    ...running.operatorEnv,
    ...files,
    SVC_TLS_RELOAD_INTERVAL_MS: '1s',
    SVC_OTLP_PORT: String(http),
    SVC_OTLP_GRPC_PORT: String(grpc),
    SVC_GATEWAY_PROBE_PORT: String(probes),
    SVC_DATA_DIR: join(directory, `side-${randomUUID()}`),
    SVC_LOG_LEVEL: 'warn',
  }
  const known = variablesOfService(otlpGateway)
  const process = createServiceProcess({
    name: 'side-gateway',
    script: new URL('../../../services/otlp-gateway/src/main.ts', import.meta.url).href,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => known.includes(name))),
    probeUrl: `http://127.0.0.1:${probes}`,
    onLine: () => {},
    onUnexpectedExit: () => {},
  })
  await process.start()
  return {
    process,
    certify,
    breakKey: () => writeFileSync(files.SVC_TLS_KEY_FILE, makeCertificate().key),
  }
}

// Checks the certificate of the client ports as a service does.
import { isAppError } from '@svc-server/errors'
import { keyPairOf, readPair } from '@svc-server/service/tls'
import type { Finding } from './finding.ts'

const area = 'certificate'
const dayMs = 86_400_000

export interface CertificateFiles {
  readonly tlsCertFile?: string | undefined
  readonly tlsKeyFile?: string | undefined
}

/** Checks a certificate against the limits that the alerts use. These limits suit certificates with lifetimes from a day to a year. */
function lifeOf(notBeforeMs: number, notAfterMs: number, nowMs: number): Finding {
  const leftMs = notAfterMs - nowMs
  const share = leftMs / (notAfterMs - notBeforeMs)
  const until = new Date(notAfterMs).toISOString()
  const renew = 'Replace the files; services load the new files without a restart: docs/runbooks/alerts/svc-certificate-expires.md.'
  if (nowMs < notBeforeMs)
    return {
      area,
      state: 'fault',
      says: `The certificate is not valid before ${new Date(notBeforeMs).toISOString()}.`,
      do: 'Compare the clock of this machine with the clock of the machine that issued the certificate.',
    }
  if (leftMs <= 0) return { area, state: 'fault', says: `The certificate has expired: ${until}.`, do: renew }
  if (leftMs < 2 * dayMs && share < 0.05) return { area, state: 'fault', says: `The certificate expires ${until}.`, do: renew }
  if (leftMs < 14 * dayMs && share < 0.2)
    return { area, state: 'warning', says: `The certificate expires ${until}, and no newer certificate has replaced it.`, do: renew }
  return { area, state: 'ok', says: `The certificate matches its key and is valid until ${until}.` }
}

export async function examineCertificates(
  { tlsCertFile: certFile, tlsKeyFile: keyFile }: CertificateFiles,
  nowMs: number,
): Promise<readonly Finding[]> {
  if (certFile === undefined && keyFile === undefined)
    return [
      {
        area,
        state: 'ok',
        says: 'SVC_TLS_CERT_FILE is not set for this command. If the services use a certificate, run the command with their variables. If an ingress has the certificate, do nothing.',
      },
    ]
  if (certFile === undefined || keyFile === undefined)
    return [
      {
        area,
        state: 'fault',
        says: 'Only one of SVC_TLS_CERT_FILE and SVC_TLS_KEY_FILE is set.',
        do: 'Set both variables, or neither.',
      },
    ]
  try {
    const files = { certFile, keyFile }
    const { notBeforeMs, notAfterMs } = keyPairOf(await readPair(files), files)
    return [lifeOf(notBeforeMs, notAfterMs, nowMs)]
  } catch (error) {
    if (!isAppError(error)) throw error
    return [{ area, state: 'fault', says: error.message, do: 'docs/runbooks/alerts/svc-certificate-unusable.md' }]
  }
}

// The oldest supported version of Kubernetes, a middle version, and the newest version.
import { join } from 'node:path'

export const kubernetesVersions = ['1.30.0', '1.33.0', '1.37.0'] as const
export const schemaFolder = join(import.meta.dirname, 'fixtures/schemas')

// The Kubernetes versions that everything rendered is validated for: the oldest that the chart takes, one in between and the newest.
import { join } from 'node:path'

export const kubernetesVersions = ['1.30.0', '1.33.0', '1.37.0'] as const
export const schemaFolder = join(import.meta.dirname, 'fixtures/schemas')

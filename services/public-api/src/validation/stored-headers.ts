// Reads headers that this service stored as JSON and sealed.
import { parseStoredJson } from '@svc-server/json'

export const storedHeaders = (json: string): Readonly<Record<string, string>> => parseStoredJson(json) as Readonly<Record<string, string>>

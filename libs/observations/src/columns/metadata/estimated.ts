/** Says in the metadata that the tokens of an observation were counted by us: what a provider bills may differ. */
export const estimatedUsageName = 'svc.usage.estimated'

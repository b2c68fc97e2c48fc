/** Marks in the metadata that the server counted an observation's tokens; the provider's bill may differ. */
export const estimatedUsageName = 'svc.usage.estimated'

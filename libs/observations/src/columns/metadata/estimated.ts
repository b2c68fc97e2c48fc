/** Name in the metadata that shows that the server counted an observation's tokens; the provider's bill can differ. */
export const estimatedUsageName = 'svc.usage.estimated'

/** The identity of each sealed value (lib/sealing): the place it is stored in, and the only one in which it opens. */
export const sealedPlaces = {
  secretKeyProof: ['secret_key_proofs'],
  variable: ({ accountId, key }: { readonly accountId: string; readonly key: string }) => [
    'variables',
    accountId,
    key,
    'value',
  ],
  variableOfCheck: (checkId: string, key: string) => ['checks', checkId, 'environmentVariables', key],
  variableOfGroup: (groupId: number, key: string) => [
    'check_groups',
    String(groupId),
    'environmentVariables',
    key,
  ],
  variablesOfSession: (sessionId: string) => ['sessions', sessionId, 'environmentVariables'],
  certificateKey: (id: string) => ['client_certificates', id, 'key'],
  certificatePassphrase: (id: string) => ['client_certificates', id, 'passphrase'],
  proxyUrl: (id: string) => ['private_locations', id, 'proxy_url'],
  alertChannel: (id: string) => ['documents', 'alert-channel', id, 'config'],
  alertNotification: (id: string) => ['alert_notifications', id, 'config'],
} as const

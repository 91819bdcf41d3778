import { knownNetwork } from './ip-network.ts'

/**
 * Whom nobody may reach through a check: the metadata services of clouds, which give credentials to whoever asks from
 * within, and link-local addresses, where most of them are.
 */
export const refusedNetworks = [
  // Link-local (RFC 3927, RFC 4291): AWS, Google Cloud, Azure, Oracle, OpenStack and others at 169.254.169.254, AWS ECS
  // and EKS at 169.254.170.*, Scaleway at 169.254.42.42, Tencent at 169.254.0.23, OpenStack at fe80::a9fe:a9fe.
  '169.254.0.0/16',
  'fe80::/10',
  // AWS: instance metadata and EKS Pod Identity.
  'fd00:ec2::254',
  'fd00:ec2::23',
  // Google Cloud.
  'fd20:ce::254',
  // Azure's WireServer.
  '168.63.129.16',
  // Alibaba Cloud.
  '100.100.100.200',
  'fd00:100::100:200',
  // Oracle Cloud, Classic and IPv6.
  '192.0.0.192',
  'fd00:c1::a9fe:a9fe',
  // Scaleway.
  'fd00:42::42',
  // Akamai (Linode).
  'fd00:a9fe:a9fe::1',
].map(knownNetwork)

/** Their names: a proxy looks names up where we cannot see the address. */
export const refusedHosts: ReadonlySet<string> = new Set([
  // Google Cloud.
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  // AWS.
  'instance-data',
  'instance-data.ec2.internal',
  // Tencent Cloud.
  'metadata.tencentyun.com',
  // IBM Cloud.
  'api.metadata.cloud.ibm.com',
])

// Vulkan's types without its functions: the library is loaded at run time, so that programs start where there is none.
#pragma once
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

// What Swift cannot see of Vulkan: macros with casts, as constants.
static const uint32_t CVULKAN_API_VERSION = VK_API_VERSION_1_2;
static const uint64_t CVULKAN_WHOLE_SIZE = VK_WHOLE_SIZE;
static const uint32_t CVULKAN_QUEUE_FAMILY_IGNORED = VK_QUEUE_FAMILY_IGNORED;
